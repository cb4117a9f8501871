// The checks of the index, as data.
import type { Check } from "./facts.ts";
import { deadIndexLines } from "./findings/dead-index-line.ts";
import { indexCaps } from "./findings/index-caps.ts";
import { longIndexLines } from "./findings/long-index-line.ts";
import { orphanFiles } from "./findings/orphan-file.ts";

/** In the order they are told. */
export const INDEX_CHECKS: readonly Check[] = [indexCaps, deadIndexLines, longIndexLines, orphanFiles];
