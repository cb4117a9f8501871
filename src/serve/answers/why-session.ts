// `why SESSION`: what became of each typed message - from the evidence, candidates, refusals and runs there are, and
// else from what the rules make of the message now. Writes nothing.
import type { MessageStory, SessionStory } from "../../domain/account.ts";
import { displayText } from "../../domain/printable.ts";
import type { Instant } from "../../domain/records.ts";
import type { IgnoredSessions } from "../../intake/transcripts/ignored.ts";
import type { CatalogEntry } from "../../intake/watch/catalog.ts";
import type { ExtractJob } from "../../learn/jobs/extract/index.ts";
import type { RetoldMessage } from "../../learn/jobs/extract/retell.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import type { FolderViews } from "./folder-view.ts";
import { refusedSince, type RefusalDeps, taughtBy } from "./outcomes.ts";
import type { FoundSession } from "./sessions.ts";
import { waitOf, type WaitDeps } from "./waiting.ts";
import { type Outcome, type WaitingItemsDeps, waitingIn } from "./waiting-items.ts";
import { reasonOf, refusalReason, sentenceReason } from "./why-words.ts";

export interface WhySessionDeps extends WaitDeps, RefusalDeps, WaitingItemsDeps {
  readonly writer: Pick<MemoryWriter, "trail">;
  readonly views: Pick<FolderViews, "view">;
  readonly ignored: IgnoredSessions;
  readonly extract: Pick<ExtractJob, "retell">;
  /** Whether anything is learnt at all. */
  learns(): boolean;
}

/** A session is in one file; a moved one for a while in two. */
const FILES_MAX = 4;

export async function storyOfSession(
  { session, entries }: FoundSession,
  deps: WhySessionDeps,
): Promise<SessionStory> {
  const [first] = entries;
  const ignored = isIgnored(session, entries, deps);
  const told: Told[] = [];
  for (const entry of entries.slice(0, FILES_MAX)) told.push(await tell(entry, { ignored, deps }));
  const messages = told.flatMap((each) => each.messages);
  return {
    v: 1,
    about: "session",
    session,
    agent: first?.source.agent ?? "",
    project: first?.project?.root ?? null,
    transcripts: entries.map(({ source }) => source.path),
    ignored,
    messages: told.length === 1 ? messages : messages.toSorted(byTime),
    more: told.reduce((sum, { more }) => sum + more, 0),
    unseenBytes: told.reduce((sum, { unseenBytes }) => sum + unseenBytes, 0),
  };
}

function byTime(a: MessageStory, b: MessageStory): number {
  return (a.at ?? "") < (b.at ?? "") ? -1 : 1;
}

function isIgnored(session: string, entries: readonly CatalogEntry[], { ignored }: WhySessionDeps): boolean {
  return ignored.has(session) || entries.some(({ source }) => ignored.has(source.sessionId));
}

type Told = Pick<SessionStory, "messages" | "more" | "unseenBytes">;

interface Telling {
  readonly ignored: boolean;
  readonly deps: WhySessionDeps;
}

async function tell(entry: CatalogEntry, telling: Telling): Promise<Told> {
  const { messages, more, unseenBytes } = await telling.deps.extract.retell(entry);
  const facts = factsOf(entry, messages, telling);
  return { messages: messages.map((message) => storyOf(message, facts)), more, unseenBytes };
}

interface Facts extends Telling {
  readonly entry: CatalogEntry;
  readonly taught: ReadonlyMap<string, MessageStory["memories"]>;
  readonly removed: ReadonlySet<string>;
  /** By record. */
  readonly pending: ReadonlyMap<string, Outcome>;
  readonly refused: ReadonlyMap<string, string>;
}

function factsOf(entry: CatalogEntry, messages: readonly RetoldMessage[], telling: Telling): Facts {
  const { project } = entry;
  const { deps } = telling;
  const none: Facts = {
    ...telling,
    entry,
    taught: new Map(),
    removed: new Set(),
    pending: new Map(),
    refused: new Map(),
  };
  if (project === undefined) return none;
  const { memoryDir } = deps.places.placeOf(project);
  const trail = deps.writer.trail(memoryDir);
  return {
    ...none,
    taught: taughtBy(trail.evidence, filesIn(deps.views.view(memoryDir))),
    removed: trail.removed.recordIds,
    pending: waitingIn(deps.inbox.list(project.id)),
    refused: refusedSince(oldestOf(messages) ?? entry.state.mtimeMs, deps),
  };
}

/** Files that cannot be read now are there as well. */
function filesIn(view: ReturnType<FolderViews["view"]>): ReadonlySet<string> {
  if (view === undefined) return new Set();
  const others = view.notMemories.map(({ file }) => file);
  return new Set([...view.memories.map(({ file }) => file), ...others, ...view.unavailable]);
}

function oldestOf(messages: readonly RetoldMessage[]): Instant | undefined {
  return messages.find(({ record }) => record.at !== undefined)?.record.at;
}

/** Characters of a message that are shown. */
const TEXT_CHARS_MAX = 160;

export function shortText(text: string): string {
  const line = displayText(text).trim();
  return line.length <= TEXT_CHARS_MAX
    ? line
    : `${displayText(line.slice(0, TEXT_CHARS_MAX - 1)).trimEnd()}…`;
}

function storyOf(message: RetoldMessage, facts: Facts): MessageStory {
  const { record } = message;
  const { outcome, reason = null, until = null } = outcomeOf(message, facts);
  const memories = facts.taught.get(record.recordId) ?? [];
  const at = record.at === undefined ? null : new Date(record.at).toISOString();
  return { record: record.recordId, at, text: shortText(record.text), outcome, reason, until, memories };
}

const OUTCOMES = { created: "saved", updated: "updated", confirmed: "confirmed" } as const;

function outcomeOf(message: RetoldMessage, facts: Facts): Outcome {
  const { recordId } = message.record;
  const memories = facts.taught.get(recordId) ?? [];
  const stands = (["created", "updated", "confirmed"] as const).find((op) =>
    memories.some((memory) => memory.op === op && !memory.gone),
  );
  if (stands !== undefined) return { outcome: OUTCOMES[stands] };
  if (facts.removed.has(recordId)) return { outcome: "taken-back", reason: reasonOf("taken-back") };
  if (facts.ignored) return skipped("ignored");
  if (memories.length > 0) return { outcome: "taken-back", reason: reasonOf("replaced") };
  const { judged } = message;
  if (judged.is === "unheard") return skipped(judged.why);
  const pending = facts.pending.get(recordId);
  if (pending !== undefined) return pending;
  const refused = facts.refused.get(recordId);
  if (refused !== undefined) return { outcome: "refused", reason: refusalReason(refused) };
  return message.readBy === undefined ? unread(message, facts) : read(message, facts);
}

function skipped(code: Parameters<typeof reasonOf>[0]): Outcome {
  return { outcome: "skipped", reason: reasonOf(code) };
}

function unread({ record }: RetoldMessage, { entry, deps }: Facts): Outcome {
  const { project, source, state } = entry;
  if (project === undefined) return skipped(state.passedWhy ?? "no-project");
  const { off } = deps.places.placeOf(project);
  if (off !== undefined) return skipped(off);
  const { passed, passedWhy } = state;
  const isPassed = passed !== undefined && record.endOffset <= passed.offset;
  if (isPassed && passedWhy !== undefined && passedWhy !== "headless") return skipped(passedWhy);
  return { outcome: "waiting", ...waitOf({ project, agent: source.agent }, deps) };
}

/** It was read, and nothing on disk tells what came of it. */
function read({ judged, readBy }: RetoldMessage, { entry, deps }: Facts): Outcome {
  if (!deps.learns()) return skipped("extraction-off");
  if (readBy === "ignored") return skipped("ignored-copy");
  if (entry.state.offRecord && judged.is === "save") return skipped("off-the-record");
  switch (judged.is) {
    case "refused":
      return { outcome: "refused", reason: refusalReason(judged.code) };
    case "gated":
      return readBy === "model" ? nothing("model-kept-nothing") : gated(judged.gate);
    case "candidate":
      return nothing(readBy === "model" ? "model-kept-nothing" : "candidate-gone");
    case "save":
      return nothing("not-recorded");
    case "nothing":
    case "unheard":
      return nothing(readBy === "model" ? "model-kept-nothing" : "no-cue");
  }
}

function gated(gate: string): Outcome {
  return { outcome: "refused", reason: sentenceReason(gate) };
}

function nothing(code: Parameters<typeof reasonOf>[0]): Outcome {
  return { outcome: "nothing", reason: reasonOf(code) };
}
