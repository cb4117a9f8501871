// What the rules make of a session's typed messages, told for a person who asks why. Reads the transcript again and
// judges as a run would; saves nothing, marks nothing, asks no model.
import type { TranscriptRecord, UserText } from "../../../domain/records.ts";
import type { ProjectRef } from "../../../domain/sessions.ts";
import type { MarkedBy, Seen } from "../../../intake/transcripts/lineage.ts";
import type { CatalogEntry } from "../../../intake/watch/catalog.ts";
import { judgeProposal } from "../../../memory/gate/gate.ts";
import { holdsPrivate } from "../../../memory/secrets/private-words.ts";
import { humanText } from "../../offline/human-text.ts";
import { holdsWords, releaseRecords } from "../../offline/privacy.ts";
import { gateAgainst } from "../../offline/remarks.ts";
import { statementsOf } from "../../offline/statements.ts";
import { insistedIn } from "./beside.ts";
import { renderedFor } from "./by-rules.ts";
import { planChanges } from "../plan.ts";
import { gather, type Gathered, isTyped, type RetellDeps, startOf } from "./retell-reading.ts";

/** Why a message cannot teach, whatever it says. */
export type Unheard = "headless" | "off-the-record" | "private" | "asked-not-to" | "agent-already-wrote";

export type Judged =
  | { readonly is: "unheard"; readonly why: Unheard }
  /** The rules would save it, or confirm what is there. */
  | { readonly is: "save" }
  | { readonly is: "refused"; readonly code: string; readonly message: string }
  | { readonly is: "candidate" }
  /** A sentence that sounds like a memory is none: a question, an order for once. */
  | { readonly is: "gated"; readonly gate: string }
  | { readonly is: "nothing" };

export interface RetoldMessage {
  /** Its text is what rules and models see of it: nothing of what the person wants nobody to read. */
  readonly record: UserText;
  readonly judged: Judged;
  /** What has read it; undefined: nothing has. */
  readonly readBy: MarkedBy | undefined;
}

export interface Retold {
  /** Oldest first. */
  readonly messages: readonly RetoldMessage[];
  /** Older messages left out. */
  readonly more: number;
  /** Bytes at the beginning that were not looked at. */
  readonly unseenBytes: number;
}

/** Messages told about: a person looks at the newest. */
const MESSAGES_MAX = 200;

/** Throws `source-gone` when the transcript is not there any more. */
export async function retellSession(entry: CatalogEntry, deps: RetellDeps): Promise<Retold> {
  const { project } = entry;
  const { start, from } = startOf(entry);
  const gathered = await gather({ entry, from, deps });
  const { records: open } = releaseRecords(gathered.map(({ record }) => record));
  const released = new Map(
    open.flatMap((each) => (each.kind === "user-text" ? [[each.recordId, each]] : [])),
  );
  const typed = gathered.filter(isTyped);
  const shown = typed.slice(-MESSAGES_MAX);
  const judge =
    project === undefined ? undefined : await judgeAll({ entry, project, deps, gathered, open, released });
  const seen = project === undefined ? undefined : deps.seenOf(project.id);
  const messages = shown.map(({ record }): RetoldMessage => {
    const text = released.get(record.recordId)?.text ?? "";
    return {
      record: renderedFor({ ...record, text }, deps.clock.now()),
      judged: judge?.(record) ?? { is: "nothing" },
      readBy: readByOf(record, seen),
    };
  });
  return { messages, more: typed.length - shown.length, unseenBytes: start };
}

function readByOf(record: UserText, seen: Seen | undefined): MarkedBy | undefined {
  return (["ignored", "model", "rules"] as const).find((by) => seen?.has(record, by) === true);
}

interface JudgeAsk {
  readonly entry: CatalogEntry;
  readonly project: ProjectRef;
  readonly deps: RetellDeps;
  readonly gathered: readonly Gathered[];
  /** What may be learnt from, in order. */
  readonly open: readonly TranscriptRecord[];
  /** Of it the typed messages, without what the person took out. */
  readonly released: ReadonlyMap<string, UserText>;
}

async function judgeAll(ask: JudgeAsk): Promise<(record: UserText) => Judged> {
  const { project, deps, gathered, open, released } = ask;
  const wrote = new Map(gathered.map(({ record, agentWrote }) => [record.recordId, agentWrote]));
  const found = await findingsIn({ ...ask, open: open.map((each) => renderedFor(each, deps.clock.now())) });
  const { headless } = deps.settings(project);
  return (record) => {
    if (record.origin === "headless" && !headless) return { is: "unheard", why: "headless" };
    const kept = released.get(record.recordId);
    if (kept === undefined) return { is: "unheard", why: "off-the-record" };
    if (!holdsWords(kept)) {
      return { is: "unheard", why: holdsPrivate(record.text) ? "private" : "asked-not-to" };
    }
    const agentWrote = wrote.get(record.recordId);
    const judged = found.get(record.recordId);
    if (agentWrote === "in-turn" || (agentWrote === "later" && judged !== undefined)) {
      return { is: "unheard", why: "agent-already-wrote" };
    }
    return judged ?? withoutFinding(renderedFor(kept, deps.clock.now()).text);
  };
}

/** By record: what the rules find in it, and whether the gate would let it in now. */
async function findingsIn({ entry, project, deps, open }: JudgeAsk): Promise<ReadonlyMap<string, Judged>> {
  const { source, state } = entry;
  const { saves, candidates } = await deps.extract({
    records: open,
    isNew: () => true,
    session: { agent: source.agent, id: state.sessionId, projectId: project.id },
    now: deps.clock.now(),
    timeZone: deps.clock.timeZone(),
  });
  const found = new Map<string, Judged>();
  for (const { recordId } of candidates.flatMap(({ evidence }) => evidence)) {
    found.set(recordId, { is: "candidate" });
  }
  const memoryDir = deps.memoryDirOf(project);
  if (memoryDir === undefined) return found;
  const shared = deps.projectsAt(memoryDir).length > 1;
  const { memories, taken } = deps.viewOf(memoryDir);
  const texts = new Map(open.flatMap((each) => ("text" in each ? [[each.recordId, each.text]] : [])));
  const set = { project, producer: "offline", memoryDir } as const;
  const today = deps.today();
  const facts = {
    ...deps.preview({ set, today, sharedFolder: shared }),
    recordText: (recordId: string) => texts.get(recordId),
    insisted: insistedIn(saves, open),
  };
  const timeZone = deps.clock.timeZone();
  const context = { memories, taken, today, timeZone, origin: shared ? project.root : undefined };
  const { proposeOnly } = deps.settings(project);
  for (const change of planChanges(saves, context)) {
    const verdict = judgeProposal(change, facts);
    const judged: Judged = verdict.accepted
      ? { is: proposeOnly ? "candidate" : "save" }
      : { is: "refused", code: verdict.reason, message: verdict.message };
    for (const { by, recordId } of change.evidence) if (by === "user") found.set(recordId, judged);
  }
  return found;
}

function withoutFinding(text: string): Judged {
  if (text.trim() !== "" && humanText(text).trim() === "") return { is: "gated", gate: "paste" };
  const gate = gateAgainst(statementsOf(text));
  return gate === undefined ? { is: "nothing" } : { is: "gated", gate };
}
