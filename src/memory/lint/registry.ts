// Every check, as data. A new one is one file in `findings/` and one line here.
import type { Check } from "./facts.ts";
import { conflictCopies } from "./findings/conflict-copy.ts";
import { deadLinks } from "./findings/dead-link.ts";
import { duplicateFiles } from "./findings/exact-duplicate.ts";
import { frontmatterFaults } from "./findings/frontmatter.ts";
import { INDEX_CHECKS } from "./index-checks.ts";
import { lineCitations } from "./findings/line-citation.ts";
import { missingReasons } from "./findings/missing-reasons.ts";
import { nearDuplicates } from "./findings/near-duplicate.ts";
import { relativeDates } from "./findings/relative-date.ts";
import { unreadableFiles } from "./findings/unreadable-file.ts";
import { vanishedThings } from "./findings/vanished.ts";

/** In the order they are told: the index, files, what they say. */
export const CHECKS: readonly Check[] = [
  ...INDEX_CHECKS,
  unreadableFiles,
  conflictCopies,
  frontmatterFaults,
  duplicateFiles,
  nearDuplicates,
  missingReasons,
  deadLinks,
  relativeDates,
  lineCitations,
  vanishedThings,
];
