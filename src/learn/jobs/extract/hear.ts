// Which typed messages of a stretch may teach: new ones, of a person, not written down by the agent already, and not
// after "off the record". Marks and counts them; never reads what they say beyond that wish.
import type { UserText } from "../../../domain/records.ts";
import { releaseRecords } from "../../offline/privacy.ts";
import { afterLastMemoryWrite } from "./agent-writes.ts";
import type { Fresh, Learning, Stretch } from "./pass.ts";

export interface Hearing {
  readonly fresh: Fresh;
  /** Messages counted in this stretch, teaching or not. */
  readonly heard: number;
  /** Context and records with the person's wishes about their own words applied. */
  readonly open: Stretch;
  /** Nothing from here on is to be kept. */
  readonly silenced: boolean;
}

export function hear(stretch: Stretch, { pass, request, deps }: Learning): Hearing {
  const { headless } = deps.settings(pass.project);
  const skipBefore = afterLastMemoryWrite(stretch.records, deps.placeOf(request.memoryDir));
  const { open, silenced } = release(stretch);
  const released = new Set(open.records.map((record) => record.recordId));
  const fresh = new Map<string, UserText>();
  let heard = 0;
  for (const [index, record] of stretch.records.entries()) {
    if (record.kind !== "user-text" || record.origin === "subagent" || record.origin === "ours") continue;
    if (record.origin === "headless" && !headless) {
      pass.headlessTyped += 1;
      continue;
    }
    if (pass.seen.has(record)) continue;
    pass.typed += 1;
    heard += 1;
    // A copy of the same message inside this stretch must not teach twice.
    pass.seen.add(record);
    if (index < skipBefore) pass.agentWrote += 1;
    else if (released.has(record.recordId)) fresh.set(record.recordId, record);
  }
  return { fresh, heard, open, silenced };
}

/** Wishes of the context count as well: they may be about the message before. */
function release({ context, records }: Stretch): { readonly open: Stretch; readonly silenced: boolean } {
  const { records: kept, silenced } = releaseRecords([...context, ...records]);
  return {
    open: { context: kept.slice(0, context.length), records: kept.slice(context.length) },
    silenced,
  };
}
