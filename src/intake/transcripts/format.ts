// What an agent adapter provides. Adapters turn bytes into records and decide nothing else.
import type { Origin, TranscriptRecord } from "../../domain/records.ts";
import type { AgentId } from "../../domain/sessions.ts";
import type { Files } from "../../system/files.ts";

/** Folders of this machine an adapter may look in. */
export interface Homes {
  readonly home: string;
  readonly claudeHomes: readonly string[];
}

/** A folder that is swept and watched for transcripts. */
export interface WatchRoot {
  readonly agent: AgentId;
  /** Folder that holds transcripts, for example `~/.claude/projects`. */
  readonly path: string;
  /** The agent's home the root belongs to, for example `~/.claude`. */
  readonly agentHome: string;
  /** Folder levels below `path` that can hold transcripts. */
  readonly depth: number;
}

/** A file that holds one session (or a subagent's part of it). */
export interface Source {
  readonly agent: AgentId;
  readonly path: string;
  /** From the file name; the records may name another one. */
  readonly sessionId: string;
  readonly role: "session" | "subagent";
  readonly root: WatchRoot;
}

/** How far an append-mostly file has been read. */
export interface Cursor {
  readonly kind: "bytes";
  readonly offset: number;
  /** `<device>:<inode>` of the file the offset belongs to. */
  readonly fileId: string;
  /** Hash of the bytes right before `offset` and of the file's start; proves the offset still fits. */
  readonly fingerprint: string;
}

export interface Slice {
  readonly records: readonly TranscriptRecord[];
  readonly next: Cursor;
  /** More whole lines are waiting after `next`. */
  readonly more: boolean;
  /** Whole lines read in this slice, parsed or not. */
  readonly lines: number;
  /** Lines that are not valid for this format. */
  readonly damaged: number;
  /** Lines over the length bound. */
  readonly skipped: number;
  readonly unknownTypes: Readonly<Record<string, number>>;
  /** `open`: the agent is still working; `ended`: the last turn is over; `unknown`: no sign either way. */
  readonly turn: "ended" | "open" | "unknown";
  /** The session was closed for good by its client (as far as the file tells). */
  readonly sessionEnded: boolean;
  /** First non-empty working directory named in this slice. */
  readonly cwd: string | undefined;
  /** The cursor did not fit any more (file shrunk, rewritten or replaced): reading restarted at 0. */
  readonly restarted: boolean;
}

/** What a quick, bounded look at a source tells without reading it. */
export interface Peek {
  readonly cwd: string | undefined;
  /** The session the records name; undefined when none does. */
  readonly sessionId: string | undefined;
  /** Whose messages it holds: a person's if any is, else those of the first; undefined where there are none. */
  readonly by: Origin | undefined;
  /** A typed message asks to remember something: do not wait for quiet. */
  readonly urgent: boolean;
  readonly sessionEnded: boolean;
  readonly turn: Slice["turn"];
}

/** Thrown (as `AppError` with code `source-gone`) by `readSlice` when the file vanished. */
export interface TranscriptFormat {
  readonly agent: AgentId;
  /** Days after which the agent deletes a transcript unless its settings name others; absent: it keeps all. */
  readonly retentionDays?: number;
  roots(homes: Homes): readonly WatchRoot[];
  /** Undefined: not a transcript of this agent. Looks at the path only, never at the disk. */
  sourceAt(path: string, root: WatchRoot): Source | undefined;
  /** Reads a bounded slice from the cursor (undefined: from the start). Never throws for content. */
  readSlice(source: Source, from: Cursor | undefined): Promise<Slice>;
  /** Looks at no more than `READ_LIMITS.peekBytesMax` from `offset` on. Undefined when the file is gone. */
  peek(source: Source, offset: number): Peek | undefined;
  /** Some records that end at or before `offset`, at most `READ_LIMITS.lookBackBytes` back. Empty when the file is gone. */
  recordsBefore(source: Source, offset: number): readonly TranscriptRecord[];
  /** A cursor at the end of a record that was read (`endOffset`). Undefined when the file is gone. */
  cursorAt(source: Source, offset: number): Cursor | undefined;
  /** A cursor after the last whole line of the file as it is now. Undefined when the file is gone. */
  endOf(source: Source): Cursor | undefined;
}

/** What the adapters need; each takes the parts it uses. */
export interface FormatDeps {
  readonly files: Files;
  /** Folders whose sessions are our own: their records carry the origin `ours`. */
  readonly oursUnder: readonly string[];
  /** Whether typed words ask to remember something. */
  readonly isUrgent: (text: string) => boolean;
}
