// Writes topic files: a new one from our fixed template, an old one by changing single lines of it.
// Never touches a line it was not asked to change, and never adds frontmatter to a file without any.
import { AppError } from "../../domain/errors.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { MemoryDraft } from "../../domain/memories.ts";
import {
  hasMetadataKey,
  hasRoomFor,
  hasTopKey,
  type HeaderEntry,
  headerLines,
  type HeaderLines,
  setMetadataKey,
  setTopKey,
} from "./header-edit.ts";
import { locateTopic, parseTopicFile, type TopicFile } from "./topic-file.ts";
import { yamlDate, yamlList, yamlScalar } from "./yaml-scalar.ts";

/** Bookkeeping kept under `metadata`; an absent field is left as it is. */
export interface Stamp {
  /** Local date, `YYYY-MM-DD`. */
  readonly confirmed?: string;
  /** ISO time, as the host agent writes it. */
  readonly modified?: string;
  readonly originSessionId?: string;
  readonly evidence?: readonly string[];
  /** Path of origin, where several projects share the folder. */
  readonly origin?: string;
}

export interface TopicEdit {
  readonly memory?: Partial<MemoryDraft>;
  readonly stamp?: Stamp;
}

/** Record ids kept in a file: the first, and the newest two. */
const EVIDENCE_NEWEST = 2;

/** The text of a new topic file. Throws `too-large` when the frontmatter passes 20 lines or 2 KiB. */
export function renderTopicFile(memory: MemoryDraft, stamp: Stamp): string {
  const lines = [
    "---",
    `name: ${yamlScalar(memory.name)}`,
    `description: ${yamlScalar(memory.description)}`,
    "metadata:",
    "  node_type: memory",
    `  type: ${memory.type}`,
    ...stampEntries(stamp).map(({ key, value }) => `  ${key}: ${value}`),
    "---",
  ];
  const header = `${lines.join("\n")}\n`;
  if (Buffer.byteLength(header) > MEMORY_LIMITS.frontmatterBytesMax) {
    throw new AppError({
      code: "too-large",
      message: `the frontmatter of ${JSON.stringify(memory.name)} would pass ${MEMORY_LIMITS.frontmatterBytesMax} bytes`,
      fix: "shorten the description and move detail into the body",
    });
  }
  return `${header}${plainBody(memory.body)}\n`;
}

/** First and newest two record ids of a memory, each once. */
export function evidenceIds(first: readonly string[], newest: readonly string[]): string[] {
  const all = [...new Set([...first, ...newest])];
  return all.length <= EVIDENCE_NEWEST + 1 ? all : [...all.slice(0, 1), ...all.slice(-EVIDENCE_NEWEST)];
}

/**
 * Changes the named fields and nothing else. Throws `bad-frontmatter` when the frontmatter is malformed or the
 * change cannot be made by line; the file is then best left alone. A file without frontmatter can only change its body.
 */
export function editTopicFile(text: string, edit: TopicEdit): string {
  const { topic, block, bodyStart } = locateTopic(text);
  if (topic.frontmatter === "malformed") throw badFrontmatter("it is not valid");
  const body = bodyText(text.slice(bodyStart), { topic, wanted: edit.memory?.body });
  if (block === undefined) return text.slice(0, bodyStart) + body;
  const header = headerLines(text.slice(block.contentStart, block.contentEnd), topic.eol);
  setMemory(header, { topic, memory: edit.memory ?? {} });
  const skipped = setStamp(header, edit.stamp ?? {});
  const edited =
    text.slice(0, block.contentStart) +
    header.lines.join("") +
    text.slice(block.contentEnd, bodyStart) +
    body;
  assertAsWanted({ before: topic, after: parseTopicFile(edited), edit, skipped });
  return edited;
}

function setMemory(
  header: HeaderLines,
  { topic, memory }: { readonly topic: TopicFile; readonly memory: Partial<MemoryDraft> },
): void {
  const { name, description, type } = memory;
  if (name !== undefined && name !== topic.name) setTopKey(header, { key: "name", value: yamlScalar(name) });
  if (description !== undefined && description !== topic.description) {
    setTopKey(header, { key: "description", value: yamlScalar(description) });
  }
  if (type === undefined || type === topic.type) return;
  if (hasTopKey(header, "type")) setTopKey(header, { key: "type", value: type });
  else setMetadataKey(header, { key: "type", value: type });
}

/** Keys that found no room within 20 lines and 2 KiB. */
function setStamp(header: HeaderLines, stamp: Stamp): ReadonlySet<string> {
  const skipped = new Set<string>();
  for (const entry of stampEntries(stamp)) {
    const under = hasMetadataKey(header, entry.key);
    if (!under && hasTopKey(header, entry.key)) setTopKey(header, entry);
    else if (under || hasRoomFor(header, entry)) setMetadataKey(header, entry);
    else skipped.add(entry.key);
  }
  return skipped;
}

function stampEntries(stamp: Stamp): HeaderEntry[] {
  const { originSessionId, modified, confirmed, evidence = [], origin } = stamp;
  const entries: HeaderEntry[] = [];
  if (originSessionId !== undefined)
    entries.push({ key: "originSessionId", value: yamlScalar(originSessionId) });
  if (modified !== undefined) entries.push({ key: "modified", value: yamlDate(modified) });
  if (confirmed !== undefined) entries.push({ key: "confirmed", value: yamlDate(confirmed) });
  if (evidence.length > 0) entries.push({ key: "evidence", value: yamlList(evidenceIds(evidence, [])) });
  if (origin !== undefined) entries.push({ key: "origin", value: yamlScalar(origin) });
  return entries;
}

function plainBody(body: string): string {
  return body
    .replaceAll(/\r\n?/gu, "\n")
    .replace(/^(?:[ \t]*\n)+/u, "")
    .trimEnd();
}

/** The body part of the file; the blank lines before it and the end of the file stay as they were. */
function bodyText(
  current: string,
  { topic, wanted }: { readonly topic: TopicFile; readonly wanted: string | undefined },
): string {
  if (wanted === undefined || plainBody(wanted) === plainBody(topic.body)) return current;
  const start = current.indexOf(topic.body);
  const lead = topic.body === "" ? "" : current.slice(0, start);
  const tail = current.slice(start + topic.body.length);
  const rendered = plainBody(wanted).replaceAll("\n", topic.eol);
  return lead + rendered + (topic.body === "" || tail === "" ? topic.eol : tail);
}

interface Check {
  readonly before: TopicFile;
  readonly after: TopicFile;
  readonly edit: TopicEdit;
  readonly skipped: ReadonlySet<string>;
}

/** The edit is by line; reading the result back is what makes it safe on YAML nobody thought of. */
function assertAsWanted({ before, after, edit, skipped }: Check): void {
  const { memory = {}, stamp = {} } = edit;
  const pick = <T>(key: keyof Stamp, wanted: T | undefined, old: T) =>
    wanted === undefined || skipped.has(key) ? old : wanted;
  const evidence = stamp.evidence?.length ? evidenceIds(stamp.evidence, []) : undefined;
  const pairs: [unknown, unknown][] = [
    [after.frontmatter, "ok"],
    [after.name, memory.name ?? before.name],
    [after.description, memory.description ?? before.description],
    [after.type, memory.type ?? before.type],
    [after.confirmed, pick("confirmed", stamp.confirmed, before.confirmed)],
    [after.modified, pick("modified", stamp.modified, before.modified)],
    [after.originSessionId, pick("originSessionId", stamp.originSessionId, before.originSessionId)],
    [after.origin, pick("origin", stamp.origin, before.origin)],
    [after.evidence.join("\n"), pick("evidence", evidence, before.evidence).join("\n")],
    [plainBody(after.body), plainBody(memory.body ?? before.body)],
  ];
  if (pairs.some(([found, wanted]) => found !== wanted))
    throw badFrontmatter("it cannot be edited line by line");
}

function badFrontmatter(why: string): AppError {
  return new AppError({
    code: "bad-frontmatter",
    message: `the frontmatter is left alone: ${why}`,
    fix: "mend the block between the --- lines by hand",
  });
}
