// A run's private view of one memory folder: it reads its own writes, and nothing of it is on disk. Hands back what
// the gate accepted; never shows a secret or a control character of a memory.
import type { Evidence, MemoryChange, RefusalCode, RemovalReason, Verdict } from "../../domain/changes.ts";
import { RUN_LIMITS } from "../../domain/limits.ts";
import type { Memory, MemoryDraft } from "../../domain/memories.ts";
import { slugOf } from "../../memory/files/file-name.ts";
import { canonicalFile, type ProposalFacts } from "../../memory/gate/facts.ts";
import { editMemory } from "./edits.ts";
import { createProposals, type Proposals, stagedMemory } from "./proposals.ts";
import { hidesSecret, shownMemory, type RenderedMemory, renderMemory } from "./rendering.ts";
import { type Denial, type DenialCode, nameToRead, nameToWrite } from "./sandbox.ts";

/** Several edits of one file each bring quotes; beyond a few the file is better written anew. */
const EDITED_QUOTES_MAX = 4 * RUN_LIMITS.quotesMax;

/** Words of a record, as the model quotes them. */
export interface Quote {
  readonly recordId: string;
  readonly quote: string;
}

export interface StageDeps {
  /** The folder and the sources as the gate judges them; `memories` is what the run sees. */
  readonly facts: ProposalFacts;
  /** Whose words a quote is; undefined for a record the model was not shown. */
  readonly resolve: (quote: Quote) => Evidence | undefined;
  /** Files whose whole text already stands in the prompt; they need no read before a write. */
  readonly shown?: readonly string[];
}

export interface WriteWish {
  readonly file: string;
  readonly memory: MemoryDraft;
  readonly quotes: readonly Quote[];
}

export interface EditWish {
  readonly file: string;
  readonly old: string;
  readonly text: string;
  readonly quotes: readonly Quote[];
}

export interface RemovalWish {
  readonly file: string;
  readonly reason: Exclude<RemovalReason, "forgotten">;
  readonly quotes: readonly Quote[];
}

/** `message` is one sentence the model can mend; `denied` says that the sandbox, not the gate, said no. */
export type StageAnswer =
  | { readonly accepted: true; readonly op: MemoryChange["op"]; readonly file: string }
  | {
      readonly accepted: false;
      readonly message: string;
      readonly denied?: DenialCode;
      /** What the gate said; absent where it was not asked. */
      readonly reason?: RefusalCode;
    };

export interface Stage {
  /** Every memory the run may see, its own writes included; masked. */
  memories(): readonly RenderedMemory[];
  /** The whole text of a memory; once it has been sent (`noteSent`) the run may change it. */
  read(name: string): { readonly text: string } | Denial;
  /** What the model asked for so far has been sent to it: a text it has not seen yet must not be replaced. */
  noteSent(): void;
  /** A new name becomes `create`, a known one `update`, or `confirm` when it says the same as before. */
  write(wish: WriteWish): StageAnswer;
  /** Changes one place; quotes of an earlier proposal about the file stay with it. */
  edit(wish: EditWish): StageAnswer;
  /** Takes a memory away; for jobs that offer it. */
  remove(wish: RemovalWish): StageAnswer;
  /** For tools of a job: any change, judged and kept when accepted. `memoryOf` gives its basis. */
  propose(change: MemoryChange): Verdict;
  /** The memory as it is on disk, for a change of it; the sandbox's denial for anything else. */
  memoryOf(name: string): Memory | Denial;
  changes(): readonly MemoryChange[];
  /** Refused proposals that no later one mended. */
  refused(): readonly Verdict[];
}

interface State extends StageDeps {
  readonly proposals: Proposals;
  /** Exact name -> memory, as the run may see them. */
  readonly onDisk: ReadonlyMap<string, Memory>;
  /** Canonical spelling -> exact name, also of memories the run may not see. */
  readonly spellings: ReadonlyMap<string, string>;
  /** Files whose whole text the model has before it. */
  readonly seen: Set<string>;
  /** Files it asked for in the answer that is being dealt with. */
  readonly unsent: Set<string>;
  readonly rendered: WeakMap<Memory, RenderedMemory>;
}

export function createStage(deps: StageDeps): Stage {
  const { facts } = deps;
  const visible = facts.memories.filter((memory) => isOurs(memory, facts));
  const state: State = {
    ...deps,
    proposals: createProposals(facts),
    onDisk: new Map(visible.map((memory) => [memory.file, memory])),
    spellings: new Map(facts.memories.map((memory) => [canonicalFile(memory.file), memory.file])),
    seen: new Set(deps.shown),
    unsent: new Set(),
    rendered: new WeakMap(),
  };
  return {
    memories: () => currentMemories(state).map((memory) => renderedOnce(state, memory)),
    read: (name) => readMemory(state, name),
    noteSent: () => {
      for (const file of state.unsent) state.seen.add(file);
      state.unsent.clear();
    },
    write: (wish) => writeMemory(state, wish),
    edit: (wish) => editOnce(state, wish),
    remove: (wish) => removeMemory(state, wish),
    propose: state.proposals.propose,
    memoryOf: (name) => findMemory(state, name, (file) => state.onDisk.get(file)),
    changes: state.proposals.changes,
    refused: state.proposals.refused,
  };
}

/** In a folder several projects share, a run of one project does not see the others' memories. */
function isOurs(memory: Memory, facts: ProposalFacts): boolean {
  return facts.origin === undefined || memory.origin === facts.origin;
}

/** The memory as this run has made it. */
function current(state: State, file: string): Memory | undefined {
  const change = state.proposals.of(file);
  // On some file systems `A.md` and `a.md` are two files; a proposal is about one of them.
  if (change === undefined || change.file !== file) return state.onDisk.get(file);
  if (change.op === "delete") return undefined;
  return stagedMemory(change, state.facts) ?? state.onDisk.get(file);
}

function currentMemories(state: State): readonly Memory[] {
  const created = state.proposals.changes().flatMap(({ op, file }) => (op === "create" ? [file] : []));
  return [...state.onDisk.keys(), ...created].flatMap((file) => current(state, file) ?? []);
}

/** Rendering scans for secrets; a folder is rendered once a run, not once a question. */
function renderedOnce(state: State, memory: Memory): RenderedMemory {
  const rendered = state.rendered.get(memory) ?? renderMemory(memory);
  state.rendered.set(memory, rendered);
  return rendered;
}

function exactName(state: State, given: string): string | undefined {
  if (state.onDisk.has(given)) return given;
  return state.spellings.get(canonicalFile(given)) ?? state.proposals.of(given)?.file;
}

function findMemory(state: State, name: string, find: (file: string) => Memory | undefined): Memory | Denial {
  const found = nameToRead(name, (given) => {
    const file = exactName(state, given);
    return file !== undefined && find(file) !== undefined ? file : undefined;
  });
  if (!("file" in found)) return found;
  return find(found.file) ?? { why: "no-such-memory", message: "there is no such memory" };
}

function readMemory(state: State, name: string): { readonly text: string } | Denial {
  const memory = findMemory(state, name, (file) => current(state, file));
  if ("why" in memory) return memory;
  const { text, whole } = shownMemory(memory);
  if (whole) state.unsent.add(memory.file);
  return { text };
}

function writeMemory(state: State, { file: given, memory, quotes }: WriteWish): StageAnswer {
  const name = nameToWrite(given, (spelling) => exactName(state, spelling));
  if ("why" in name) return denied(name);
  const problem = changeProblem(state, name.file);
  if (problem !== undefined) return refused(problem);
  const evidence = evidenceOf(state, quotes);
  if ("problem" in evidence) return refused(evidence.problem);
  // A name in plain words is as good as its slug; asking again would cost a request. A person's own name stays.
  const isKept = state.onDisk.get(name.file)?.name === memory.name;
  const slug = isKept ? memory.name : slugOf(memory.name) || memory.name;
  return submit(state, { file: name.file, memory: { ...memory, name: slug }, evidence: evidence.items });
}

function editOnce(state: State, { file: given, old, text, quotes }: EditWish): StageAnswer {
  const memory = findMemory(state, given, (file) => current(state, file));
  if ("why" in memory) return denied(memory);
  const problem = changeProblem(state, memory.file);
  if (problem !== undefined) return refused(problem);
  const edited = editMemory(memory, { old, text });
  if ("problem" in edited) return refused(edited.problem);
  const evidence = evidenceOf(state, quotes);
  if ("problem" in evidence) return refused(evidence.problem);
  const all = joined(state.proposals.of(memory.file)?.evidence ?? [], evidence.items);
  if (all.length > EDITED_QUOTES_MAX) return refused("this file has too many quotes by now; write it whole");
  return submit(state, { file: memory.file, memory: edited.memory, evidence: all });
}

function removeMemory(state: State, { file: given, reason, quotes }: RemovalWish): StageAnswer {
  const memory = findMemory(state, given, (file) => state.onDisk.get(file));
  if ("why" in memory) return denied(memory);
  const { file, hash: basis } = memory;
  const problem = changeProblem(state, file);
  if (problem !== undefined) return refused(problem);
  const evidence = evidenceOf(state, quotes);
  if ("problem" in evidence) return refused(evidence.problem);
  return answered(state, { op: "delete", file, basis, reason, evidence: evidence.items });
}

/** Why a file that exists must not be changed by this run; undefined for new files. */
function changeProblem(state: State, file: string): string | undefined {
  const memory = state.onDisk.get(file);
  if (memory === undefined) {
    return state.spellings.has(canonicalFile(file))
      ? "another project's memory has this name; choose another name"
      : undefined;
  }
  if (memory.frontmatter === "malformed") return "the header of this file is damaged; leave it to the person";
  if (hidesSecret(memory)) return "this file holds a value that is hidden from you; leave it to the person";
  if (state.seen.has(file)) return undefined;
  if (state.unsent.has(file)) return "you have not seen this file yet; look at what it says, then change it";
  return shownMemory(memory).whole
    ? "this file exists and you have not read it in this run; read it first, then change it"
    : "this memory is too long to be shown whole, so it cannot be changed here";
}

function evidenceOf(
  state: State,
  quotes: readonly Quote[],
): { readonly items: readonly Evidence[] } | { readonly problem: string } {
  const items: Evidence[] = [];
  for (const quote of quotes) {
    const item = state.resolve(quote);
    if (item === undefined) {
      return {
        problem: `evidence ${items.length + 1} names a record you were not shown; copy its id exactly`,
      };
    }
    items.push(item);
  }
  return { items };
}

interface Submission {
  readonly file: string;
  readonly memory: MemoryDraft;
  readonly evidence: readonly Evidence[];
}

function submit(state: State, { file, memory, evidence }: Submission): StageAnswer {
  const known = state.onDisk.get(file);
  const change: MemoryChange =
    known === undefined
      ? { op: "create", file, memory, evidence }
      : saysTheSame(known, memory)
        ? { op: "confirm", file, basis: known.hash, evidence }
        : { op: "update", file, basis: known.hash, memory, evidence };
  return answered(state, change);
}

function answered(state: State, change: MemoryChange): StageAnswer {
  const { op, file } = change;
  const verdict = state.proposals.propose(change);
  if (verdict.accepted) return { accepted: true, op, file };
  const earlier =
    state.proposals.of(file) === undefined ? "" : "; what you said about this file before stands";
  return { ...refused(`${verdict.message}${earlier}`), reason: verdict.reason };
}

function saysTheSame(known: Memory, memory: MemoryDraft): boolean {
  return (
    known.name === memory.name &&
    known.description === memory.description &&
    known.type === memory.type &&
    known.body.replaceAll(/\r\n?/gu, "\n").trim() === memory.body.trim()
  );
}

function joined(earlier: readonly Evidence[], later: readonly Evidence[]): readonly Evidence[] {
  const isNew = (item: Evidence) =>
    !earlier.some((other) => other.recordId === item.recordId && other.quote === item.quote);
  return [...earlier, ...later.filter(isNew)];
}

function refused(message: string): StageAnswer & { readonly accepted: false } {
  return { accepted: false, message };
}

function denied({ why, message }: Denial): StageAnswer {
  return { accepted: false, message, denied: why };
}
