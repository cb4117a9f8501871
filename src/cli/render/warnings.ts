// Warnings for a person: what is wrong, and below it what mends it. Never shows an instant as a machine writes it.
import type { Warning } from "../../domain/status.ts";
import type { Line, Page } from "./line.ts";
import { wrap } from "./line.ts";
import { withClockTimes } from "./time.ts";

/** Each in two lines or more; `indent` columns from the edge. */
export function warningLines(warnings: readonly Warning[], page: Page, indent = 0): Line[] {
  return warnings.flatMap(({ message, fix }) => [
    ...wrap(`! ${withClockTimes(message, page.now)}`, {
      ...page,
      tone: "warn",
      firstIndent: indent,
      indent: indent + 2,
    }),
    ...wrap(`fix: ${fix}`, { ...page, firstIndent: indent + 2, indent: indent + 4 }),
  ]);
}
