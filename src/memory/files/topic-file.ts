// Reads one topic file, whatever wrote it; the only importer of gray-matter. Never throws for content, never
// evaluates anything, never guesses a field. The library only ever sees a small block we fenced ourselves.
import matter from "gray-matter";
import { keepRecent } from "../../domain/keep-recent.ts";
import type { FrontmatterState } from "../../domain/memories.ts";
import { remade } from "../../system/remade.ts";
import { blockAt, type FencedBlock, isClosed } from "./fences.ts";
import { fieldsByLine, fieldsOf, type TopicFields } from "./topic-fields.ts";

export interface TopicFile extends Omit<TopicFields, "known"> {
  /** Text after the frontmatter, line ends as in the file, without blank lines around it. */
  readonly body: string;
  readonly frontmatter: FrontmatterState;
  /** Names of `[[links]]` in the body, each once. */
  readonly links: readonly string[];
  readonly eol: "\n" | "\r\n";
  /** Number of the line the body begins in, from 1. */
  readonly bodyLine: number;
}

/** A topic file with the places an editor needs. */
export interface LocatedTopic {
  readonly topic: TopicFile;
  /** The block the fields came from; undefined without readable frontmatter. */
  readonly block: FencedBlock | undefined;
  /** Where the body starts. */
  readonly bodyStart: number;
}

const LINKS_MAX = 200;
const LINK = /\[\[([^[\]|#\n]{1,200})(?:[|#][^\]\n]{0,200})?\]\]/gu;

/**
 * Characters of all texts whose reading is kept: two folders of 200 files of 5 KB. A folder is read several times a
 * job, and to understand a file costs eight times as much as to read it (measured). Kept by their whole text and not
 * by name and time, so a file that changed is never taken for what it was.
 */
const KEPT_CHARS_MAX = 2_000_000;

/** Given back with the memory a resting process is asked for: of months of changes it would only ever fill up. */
const keptTopics = remade(() => keepRecent((text) => locateTopic(text).topic, KEPT_CHARS_MAX));

export function parseTopicFile(text: string): TopicFile {
  return keptTopics()(text);
}

export function locateTopic(text: string): LocatedTopic {
  const found = readBlocks(text);
  const rest = text.slice(found.bodyStart);
  const body = rest.slice(blankStart(rest)).trimEnd();
  const { known: _, ...fields } = found.fields;
  return {
    topic: {
      ...fields,
      body,
      frontmatter: found.state,
      links: linksIn(body),
      eol: /^[^\n]*\r\n/u.test(text) ? "\r\n" : "\n",
      bodyLine: lineOf(text, found.bodyStart + blankStart(rest)),
    },
    block: found.block,
    bodyStart: found.bodyStart,
  };
}

interface FoundBlocks {
  readonly state: FrontmatterState;
  readonly fields: TopicFields;
  readonly block: FencedBlock | undefined;
  readonly bodyStart: number;
}

function readBlocks(text: string): FoundBlocks {
  const none: FoundBlocks = { state: "none", fields: fieldsOf(undefined), block: undefined, bodyStart: 0 };
  const first = blockAt(text, 0);
  if (first === undefined) return none;
  if (!isClosed(first)) {
    // Without a closing fence nobody can say where the body starts; the keys up to the first blank line are.
    const fields = fieldsByLine(text.slice(first.contentStart).split(/\r?\n[ \t]*\r?\n/u, 1)[0] ?? "");
    return fields.known ? { ...none, state: "malformed", fields } : none;
  }
  const outer = readBlock(text, first);
  // Another tool may have put its own block in front of ours.
  if (outer.fields.name === undefined && outer.fields.description === undefined && outer.state === "ok") {
    const second = blockAt(text, first.end);
    if (second !== undefined && isClosed(second)) {
      const inner = readBlock(text, second);
      if (inner.fields.name !== undefined || inner.fields.description !== undefined) {
        return { ...inner, fields: merged(inner.fields, outer.fields), block: second, bodyStart: second.end };
      }
    }
  }
  // A horizontal rule and a paragraph look like frontmatter too; only known keys make it so.
  return outer.fields.known ? { ...outer, block: first, bodyStart: first.end } : none;
}

function merged(main: TopicFields, other: TopicFields): TopicFields {
  return {
    name: main.name,
    description: main.description,
    type: main.type ?? other.type,
    confirmed: main.confirmed ?? other.confirmed,
    modified: main.modified ?? other.modified,
    originSessionId: main.originSessionId ?? other.originSessionId,
    evidence: main.evidence.length > 0 ? main.evidence : other.evidence,
    origin: main.origin ?? other.origin,
    known: true,
  };
}

function readBlock(
  text: string,
  block: FencedBlock,
): { readonly state: "ok" | "malformed"; readonly fields: TopicFields } {
  const content = text.slice(block.contentStart, block.contentEnd).replaceAll("\r\n", "\n");
  const data = block.tooLarge ? undefined : parseYaml(content);
  if (data !== undefined) return { state: "ok", fields: fieldsOf(data.value) };
  return { state: "malformed", fields: fieldsByLine(content.slice(0, LOOSE_CHARS_MAX)) };
}

/** Read line by line of a block that is too large to parse. */
const LOOSE_CHARS_MAX = 16_384;

/** YAML with strings only: no implicit type, no tag is known. Dates, octals and `yes` stay as they are written. */
const STRINGS_ONLY = {
  compiledImplicit: [],
  compiledTypeMap: { scalar: {}, sequence: {}, mapping: {}, fallback: {} },
} as const;

const REFUSING_ENGINE = {
  parse(): never {
    throw new Error("only YAML is read");
  },
};

/** Undefined: not valid YAML, or with an anchor (aliases multiply a kilobyte into gigabytes). */
function parseYaml(content: string): { readonly value: unknown } | undefined {
  // The library ends the block at any line that begins with a fence.
  if (/^---/mu.test(content)) return undefined;
  // Options always: without them the library caches every text for ever, broken ones as empty.
  const options = {
    language: "yaml",
    engines: {
      js: REFUSING_ENGINE,
      javascript: REFUSING_ENGINE,
      coffee: REFUSING_ENGINE,
      json: REFUSING_ENGINE,
    },
    schema: STRINGS_ONLY,
    listener: (event: string, state: { readonly anchor: string | null }) => {
      if (event === "close" && state.anchor !== null) throw new Error("anchors are not read");
    },
  };
  try {
    return { value: matter(`---\n${content}\n---\n`, options).data };
  } catch {
    // Every failure means the same here: the caller reads the block line by line instead.
    return undefined;
  }
}

function linksIn(body: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name] of body.matchAll(LINK)) {
    if (names.size >= LINKS_MAX) break;
    if (name !== undefined && name.trim() !== "") names.add(name.trim());
  }
  return [...names];
}

/** Where the first line that is not blank begins. */
function blankStart(text: string): number {
  return /^\uFEFF?(?:[ \t]*\r?\n)+/u.exec(text)?.[0].length ?? 0;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
