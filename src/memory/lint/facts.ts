// What a check of a memory folder may know: plain data, gathered by the caller, and three questions about the project.
import type { Finding, FindingCode } from "../../domain/lint.ts";
import type { Memory } from "../../domain/memories.ts";
import { displayText } from "../../domain/printable.ts";
import type { IndexPlan } from "../files/index-file.ts";
import type { FolderView } from "../files/store.ts";

export interface FolderFacts {
  readonly view: FolderView;
  /** Files whose index line a person took out. */
  readonly hidden: ReadonlySet<string>;
  /** Files that an undo brought back, and nobody has changed since. */
  readonly broughtBack: ReadonlySet<string>;
  /** Ids of the records each file rests on. */
  readonly recordsOf: ReadonlyMap<string, readonly string[]>;
  /** Local date, `YYYY-MM-DD`. */
  readonly today: string;
}

/** `unknown`: it could not be looked at, or lies outside; nobody may conclude anything from it. */
export type Answer = "yes" | "no" | "unknown";

/** Whether something is there in the project. Never opens what lies outside its root, never runs anything. */
export interface ProjectProbe {
  /** A path as a memory writes it: from the root, or the end of a path anywhere below it. */
  hasPath(path: string): Answer;
  /** A script that `npm run` and its like know. */
  hasScript(name: string): Answer;
  /** A target that `make` knows. */
  hasTarget(name: string): Answer;
  /** A package that a manifest of the project names. */
  hasPackage(name: string): Answer;
}

export interface LintFacts extends FolderFacts {
  /** Undefined: the project's root is not on this machine. */
  readonly project?: ProjectProbe | undefined;
}

/** What several checks ask, worked out once. */
export interface CheckFacts extends LintFacts {
  /** The index as it would be once it is mended. */
  tidied(): IndexPlan;
  duplicates(): readonly Duplicates[];
}

/** Memories that say exactly the same. */
export interface Duplicates {
  /** The one that stays. */
  readonly stays: Memory;
  /** What may go without any loss. */
  readonly goes: readonly Memory[];
  /** A person wanted several of them: an undo brought one back. */
  readonly isWanted: boolean;
  /** Others that stay as well, because something links them or a person wanted them: for a person. */
  readonly linked: readonly Memory[];
}

/** One kind of finding. Pure but for the questions about the project. */
export type Check = (facts: CheckFacts) => readonly Finding[];

const SHOWN_CHARS_MAX = 80;

/** Foreign text inside a message: no control character, not long. */
export function shown(text: string): string {
  const plain = displayText(text).replace(/\s+/gu, " ").trim();
  return plain.length > SHOWN_CHARS_MAX
    ? `${Array.from(plain)
        .slice(0, SHOWN_CHARS_MAX - 1)
        .join("")}…`
    : plain;
}

export interface Found {
  readonly file: string;
  readonly line?: number | undefined;
  /** Its parts that are foreign text went through `shown`. */
  readonly message: string;
  readonly fixable?: boolean;
}

export function finding(code: FindingCode, { file, line, message, fixable = false }: Found): Finding {
  return { code, file, line: line ?? null, message, fixable };
}

/** One line of a memory's text. */
export interface TextLine {
  readonly text: string;
  /** Number in the file, from 1; undefined for the description. */
  readonly line: number | undefined;
}

/** What a memory says, line by line: its description, then its body without fenced code. */
export function linesOf(memory: Memory, { view }: LintFacts): readonly TextLine[] {
  const first = view.bodyLines.get(memory.file);
  const lines: TextLine[] = [];
  let fence: string | undefined;
  for (const [at, text] of memory.body.split("\n").entries()) {
    const mark = /^\s{0,3}(```|~~~)/u.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence === undefined) lines.push({ text, line: first === undefined ? undefined : first + at });
  }
  const description = memory.description?.trim() ?? "";
  // Often the body's own first line once more.
  const isRepeated = description === "" || memory.body.includes(description);
  return isRepeated ? lines : [{ text: description, line: undefined }, ...lines];
}
