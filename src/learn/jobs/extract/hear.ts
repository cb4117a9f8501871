// Which typed messages of a stretch may teach: new ones, of a person, not written down by the agent already, and not
// after "off the record"; to a model also those of a backfill that only rules have read. Never reads what they say
// beyond that wish.
import type { UserText } from "../../../domain/records.ts";
import { holdsWords, releaseRecords } from "../../offline/privacy.ts";
import { afterLastMemoryWrite, type MemoryPlace } from "./agent-writes.ts";
import { withoutEchoes } from "./echoes.ts";
import type { Asking, Fresh, SessionPass, Stretch } from "./pass.ts";

/** A typed message that this reader has not heard before. */
interface Heard {
  readonly record: UserText;
  /** It belongs to a turn in which the agent wrote the memory itself. */
  readonly agentWrote: boolean;
}

export interface Hearing {
  readonly fresh: Fresh;
  /** In order, teaching or not; each is marked once what it teaches is safe. */
  readonly heard: readonly Heard[];
  /** Messages of scripts, passed over. */
  readonly headless: number;
  /** End of the last message a model leaves out although only rules have read it; 0 without one. */
  readonly rulesOnlyUntil: number;
  /** Context and records with the person's wishes about their own words applied. */
  readonly open: Stretch;
  /** Nothing from here on is to be kept. */
  readonly silenced: boolean;
}

/** By what `pass.readBy` says. */
export function hear(stretch: Stretch, { pass, request, deps }: Asking): Hearing {
  const settings = deps.settings(pass.project);
  const place = deps.placeOf(request.memoryDir);
  const skipBefore = afterLastMemoryWrite(stretch.records, place);
  const { open, silenced } = release(stretch, { pass, place });
  const spoken = open.records.filter((record) => record.kind === "user-text" && holdsWords(record));
  const released = new Set(spoken.map((record) => record.recordId));
  const fresh = new Map<string, UserText>();
  const heard: Heard[] = [];
  const known = knownIn(pass);
  let headless = 0;
  let rulesOnlyUntil = 0;
  for (const [index, record] of stretch.records.entries()) {
    if (record.kind !== "user-text" || record.origin === "subagent" || record.origin === "ours") continue;
    if (record.origin === "headless" && !settings.headless) {
      headless += 1;
      continue;
    }
    const knownTo = known(record);
    if (knownTo !== undefined) {
      if (knownTo === "rules-only") rulesOnlyUntil = Math.max(rulesOnlyUntil, record.endOffset);
      continue;
    }
    const agentWrote = index < skipBefore;
    heard.push({ record, agentWrote });
    if (!agentWrote && released.has(record.recordId)) fresh.set(record.recordId, record);
  }
  return { fresh, heard, headless, rulesOnlyUntil, open, silenced };
}

/** `rules-only`: rules have read it and no model has, and this is a model that was not asked to. */
type Known = "known" | "rules-only" | undefined;

/** A copy of the same message inside this stretch must not teach twice either. */
function knownIn(pass: SessionPass): (record: UserText) => Known {
  const here = new Set<string>();
  return (record) => {
    const marks = [`id ${record.recordId}`, `at ${record.at ?? record.recordId} ${record.text}`];
    const isCopy = marks.some((mark) => here.has(mark));
    for (const mark of marks) here.add(mark);
    return isCopy ? "known" : knownTo(pass, record);
  };
}

function knownTo({ seen, readBy, entry }: SessionPass, record: UserText): Known {
  if (!seen.has(record)) return undefined;
  if (readBy === "rules" || seen.has(record, "model")) return "known";
  return record.endOffset <= entry.state.again ? undefined : "rules-only";
}

/** Counts messages and marks them as seen, up to an offset of the source; a second call goes on from there. */
export function markHeard(pass: SessionPass, { heard }: Hearing, upTo = Number.POSITIVE_INFINITY): void {
  for (const { record, agentWrote } of heard) {
    if (record.endOffset > upTo || pass.seen.has(record, pass.readBy)) continue;
    // What was counted once, by whatever read it, is not counted again.
    if (pass.seen.has(record)) pass.again += 1;
    else pass.typed += 1;
    if (agentWrote) pass.agentWrote += 1;
    pass.seen.add(record, pass.readBy);
  }
}

/** Wishes of the context count as well: they may be about the message before. Notes where a `<private>` stays open. */
function release(
  { context, records }: Stretch,
  {
    pass,
    place,
  }: { readonly pass: Pick<SessionPass, "inPrivate" | "closedTo">; readonly place: MemoryPlace },
): { readonly open: Stretch; readonly silenced: boolean } {
  const {
    records: kept,
    silenced,
    closedTo,
  } = releaseRecords(withoutEchoes([...context, ...records], place), pass.inPrivate);
  pass.closedTo = closedTo;
  pass.inPrivate = closedTo.some(({ to }) => to === Number.POSITIVE_INFINITY);
  return {
    open: { context: kept.slice(0, context.length), records: kept.slice(context.length) },
    silenced,
  };
}
