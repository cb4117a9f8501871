// What a rule may know: plain data about the folder and the sources, gathered by the caller. Holds no I/O.
import type { TimeZone } from "../../domain/calendar.ts";
import type { MemoryChange, Producer, RefusalCode } from "../../domain/changes.ts";
import type { Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import type { InstructionFile } from "./instructions.ts";

/** Everything a person took back in one folder. */
export interface RemovedFacts {
  /** Record ids a removed memory rested on. */
  readonly recordIds: ReadonlySet<string>;
  /** Text hash (`textHashOf`) of a removed memory -> when it was removed last. */
  readonly textHashes: ReadonlyMap<string, Instant>;
}

/** One record of the conversation a proposal was made from. */
export interface HeardRecord {
  readonly recordId: string;
  /** `user`: typed by the person, nothing else; `assistant`: text, no tool call. */
  readonly by: "user" | "assistant" | "tool";
}

export interface ProposalFacts {
  readonly producer: Producer;
  /** Memories of the folder as the producer sees them. */
  readonly memories: readonly Memory[];
  /** Names in the folder that are no memories but cannot be taken either. */
  readonly otherNames: readonly string[];
  /** The one rendering of a record; undefined for a record nobody handed in. */
  readonly recordText: (recordId: string) => string | undefined;
  /** Record ids some memory of the folder already rests on. */
  readonly recordedIds: ReadonlySet<string>;
  readonly removed: RemovedFacts;
  /** When the newest evidence of a file was said, where we know. */
  readonly saidAt: ReadonlyMap<string, Instant>;
  readonly timeZone: TimeZone;
  /** Local date of the judgement, `YYYY-MM-DD`. */
  readonly today: string;
  /** The person insists although the kind is normally not kept. */
  readonly keep?: boolean;
  /** Records in which the person asked to remember something in so many words. */
  readonly insisted?: ReadonlySet<string>;
  /** What the instruction files of the project say; read when it is asked for. */
  readonly instructions?: () => readonly InstructionFile[];
  /** Set where several projects share the folder: the root whose memories this proposal may touch. */
  readonly origin?: string;
  /**
   * The records handed in, in the order they were said. Absent: the order is unknown, and nothing a model proposes
   * counts as affirmed.
   */
  readonly heard?: readonly HeardRecord[];
  /** Files that rest on words of an assistant, a tool or a log too. A file without provenance is the person's. */
  readonly hearsay?: ReadonlySet<string>;
  /** Files that an undo brought back, as they were then; asked only when a set removes something. */
  readonly broughtBack?: () => ReadonlySet<string>;
  /** Files the same change set replaces by other ones; a replacement may repeat what they say. */
  readonly replaced?: readonly string[];
  /** Files that runs changed within the last day, as they were before; asked only when a set takes something away. */
  readonly dayBefore?: () => readonly PastMemory[];
}

export interface PastMemory {
  readonly file: string;
  /** What it said; undefined where there was no such file. */
  readonly text: string | undefined;
}

export interface Refusal {
  readonly reason: RefusalCode;
  readonly message: string;
}

/** One rule: refuses or stays silent. Pure; called again for the same input it answers the same. */
export type Rule = (change: MemoryChange, facts: ProposalFacts) => Refusal | undefined;

/** The memory a change is about, undefined for a new file. Names are compared in NFC without case. */
export function targetOf(change: MemoryChange, facts: Pick<ProposalFacts, "memories">): Memory | undefined {
  const wanted = canonicalFile(change.file);
  return (
    facts.memories.find((memory) => memory.file === change.file) ??
    facts.memories.find((memory) => canonicalFile(memory.file) === wanted)
  );
}

/** One spelling for names that a case-insensitive or normalising file system takes for the same. */
export function canonicalFile(file: string): string {
  return file.normalize("NFC").toLowerCase();
}

/** Everything a proposal would make somebody read. */
export function proposedText(change: MemoryChange): string {
  return "memory" in change ? `${change.memory.description}\n${change.memory.body}` : "";
}
