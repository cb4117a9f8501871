// What is said of the sessions of programs that nobody looks into. Shared by the status and by what a pass did.
import type { SyncReport } from "../../domain/service.ts";
import type { Line, WrapOptions } from "./line.ts";
import { wrap } from "./line.ts";
import { counted } from "./numbers.ts";

export function passedLines(passed: SyncReport["passedOver"], page: Omit<WrapOptions, "tone">): Line[] {
  if (passed === undefined) return [];
  const { flood, observer } = passed;
  const flooded = `${counted(flood, "session")} of programs passed over, too many at once: engramd sync --backfill all reads them`;
  const observed = `${counted(observer, "session")} of other tools' own programs passed over`;
  return [
    ...(flood > 0 ? wrap(flooded, { ...page, tone: "faint" }) : []),
    ...(observer > 0 ? wrap(observed, { ...page, tone: "faint" }) : []),
  ];
}
