// What belongs to a memory that is to be purged: its file under every name it had, its images, the runs that touched it,
// the records it rested on. Reads the history and writes nothing.
import type { RunId } from "../../domain/changes.ts";
import { MEMORY_LIMITS } from "../../domain/limits.ts";
import type { ContentHash, Memory } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { openFolder } from "../../system/folder.ts";
import { readFolder } from "../files/store.ts";
import { parseTopicFile } from "../files/topic-file.ts";
import { canonicalFile } from "../gate/facts.ts";
import { textHashOf } from "../gate/text-hash.ts";
import type { JournalEntry, JournalOp } from "./entries.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf } from "./folder-id.ts";
import type { Parts } from "./parts.ts";
import { hashOfName, type PurgeIntent, purgedName } from "./purge-intents.ts";

export interface PastAsk {
  readonly memoryDir: string;
  /** Called between steps of long work. */
  pause(): Promise<void>;
}

export interface PlanAsk extends PastAsk {
  readonly project: { readonly id: string; readonly root: string };
  /** The file it is, or was, kept in. */
  readonly file: string;
  readonly now: Instant;
}

/** What a file of the history was. */
interface Past {
  /** As it was spelt. */
  readonly file: string;
  readonly images: Set<ContentHash>;
  readonly runs: Set<RunId>;
  readonly ops: JournalOp[];
}

interface History {
  readonly folderId: string;
  /** Images of the index that runs kept. */
  readonly indexes: ReadonlySet<ContentHash>;
  /** By canonical name. */
  readonly past: ReadonlyMap<string, Past>;
  /** Files that are there now, by canonical name. */
  readonly live: ReadonlyMap<string, Memory>;
  said(hash: ContentHash): Said | undefined;
}

interface Said {
  readonly name: string | undefined;
  readonly text: string;
}

/** The hash of no words at all: files without a body have nothing in common. */
const NO_TEXT = textHashOf({ body: "" });

/** Files of the history, there no more, that a name may mean: by file, else by what they were called. */
export async function pastFilesNamed(parts: Parts, name: string, ask: PastAsk): Promise<readonly string[]> {
  const history = await readHistory(parts, ask);
  const wanted = [canonicalFile(name), canonicalFile(`${name}.md`)];
  const purged = new Set(wanted.map(purgedName));
  const isKnown = (key: string) => history.past.has(key);
  const byFile = wanted.find(isKnown) ?? [...purged].find(isKnown);
  if (byFile !== undefined) return [history.past.get(byFile)?.file ?? byFile];
  const found: string[] = [];
  for (const [key, { file, images, ops }] of history.past) {
    await ask.pause();
    if (history.live.has(key)) continue;
    const isCalled = [...images].some((hash) => history.said(hash)?.name === name);
    if (isCalled || ops.some(({ purged: names }) => names?.includes(hashOfName(name)) === true)) {
      found.push(file);
    }
  }
  const [first = ""] = found;
  // One memory under several names is one.
  const own = await filesOf(canonicalFile(first), history, ask);
  return found.filter((file) => file === first || !own.has(canonicalFile(file)));
}

export async function planPurge(parts: Parts, ask: PlanAsk): Promise<PurgeIntent> {
  const history = await readHistory(parts, ask);
  const { folderId, live, said } = history;
  const own = await filesOf(canonicalFile(ask.file), history, ask);
  const pasts = [...own].flatMap((key) => history.past.get(key) ?? []);
  const memory = live.get(canonicalFile(ask.file));
  const images = new Set(pasts.flatMap((past) => [...past.images]));
  if (memory !== undefined) images.add(memory.hash);
  const versions = [...images].flatMap((hash) => said(hash) ?? []);
  const texts = [...versions.map(({ text }) => text), ...(memory === undefined ? [] : [textHashOf(memory)])];
  const names = [
    ...versions.flatMap(({ name }) => name ?? []),
    ...(memory?.name === undefined ? [] : [memory.name]),
  ];
  const lines = parts.evidence.lines(folderId).filter(({ file }) => own.has(canonicalFile(file)));
  const quotes = [
    ...lines.flatMap(({ records }) => records),
    ...pasts.flatMap(({ ops }) => ops.flatMap(({ evidence }) => evidence)),
  ];
  const read = quotes.filter(({ by }) => by !== "memory");
  const kept = imagesOfOthers(history, own);
  return {
    v: 1,
    at: ask.now,
    project: { id: ask.project.id, root: ask.project.root },
    memoryDir: ask.memoryDir,
    folderId,
    files: [...new Set([...own, ...pasts.map(({ file }) => file)].map(purgedName))],
    called: [...new Set(names.map(hashOfName))],
    // An image of the index may name it, whoever it was made for.
    images: [...[...images].filter((hash) => !kept.has(hash)), ...history.indexes],
    texts: [...new Set(texts)].filter((text) => text !== NO_TEXT),
    records: [...new Set([...read.map(({ id }) => id), ...(memory?.evidence ?? [])])],
    sessions: [...new Set(read.map(({ session }) => session))],
    runs: [...new Set(pasts.flatMap(({ runs }) => [...runs]))],
    basis: memory?.hash ?? null,
  };
}

/** The file, and those that are gone and said the same, or went into it: one memory under several names. */
async function filesOf(file: string, history: History, { pause }: PastAsk): Promise<ReadonlySet<string>> {
  const { past, live, said } = history;
  const own = new Set([file]);
  const texts = new Set<string>();
  const textsOf = (images: Iterable<ContentHash>) =>
    [...images].flatMap((hash) => said(hash)?.text ?? []).filter((text) => text !== NO_TEXT);
  const memory = live.get(file);
  if (memory !== undefined && textHashOf(memory) !== NO_TEXT) texts.add(textHashOf(memory));
  for (let before = 0; before < own.size;) {
    before = own.size;
    const merged = new Set<string>();
    for (const key of own) {
      const { images = [], ops = [] } = past.get(key) ?? {};
      for (const text of textsOf(images)) texts.add(text);
      for (const { by, id } of ops.flatMap(({ evidence }) => evidence)) {
        if (by === "memory") merged.add(canonicalFile(id));
      }
    }
    for (const [key, { images }] of past) {
      await pause();
      if (own.has(key) || live.has(key)) continue;
      if (merged.has(key) || textsOf(images).some((text) => texts.has(text))) own.add(key);
    }
  }
  return own;
}

/** What another memory of today was at some time, to the byte. */
function imagesOfOthers({ past, live }: History, own: ReadonlySet<string>): ReadonlySet<ContentHash> {
  const others = [...live].filter(([key]) => !own.has(key));
  return new Set(others.flatMap(([key, { hash }]) => [hash, ...(past.get(key)?.images ?? [])]));
}

async function readHistory(parts: Parts, { memoryDir, pause }: PastAsk): Promise<History> {
  const { folderId, memories } = onDisk({ what: "memory", path: memoryDir }, () => {
    const folder = openFolder(parts.files, memoryDir);
    if (folder === undefined) return { folderId: folderIdOf(memoryDir), memories: [] };
    try {
      return { folderId: folderIdOf(folder.path), memories: readFolder(folder).memories };
    } finally {
      folder.close();
    }
  });
  const past = new Map<string, Past>();
  const indexes = new Set<ContentHash>();
  const add = (entry: JournalEntry | undefined) => {
    addEntry(past, entry);
    if (entry?.indexWork === undefined) return;
    for (const hash of [entry.index.before, entry.index.after]) if (hash !== null) indexes.add(hash);
  };
  const open = parts.journal.openEntries(folderId).map(({ entry }) => entry);
  const closed = parts.journal.closedRefs(folderId);
  for (const ref of closed) {
    await pause();
    add(parts.journal.closed(ref));
  }
  for (const entry of open) add(entry);
  const known = new Map<ContentHash, Said | undefined>();
  const said = (hash: ContentHash) => {
    if (!known.has(hash)) known.set(hash, saidIn(parts.journal.image(folderId, hash)));
    return known.get(hash);
  };
  const live = new Map(memories.map((memory) => [canonicalFile(memory.file), memory]));
  return { folderId, indexes, past, live, said };
}

function addEntry(past: Map<string, Past>, entry: JournalEntry | undefined): void {
  for (const op of entry?.ops ?? []) {
    const key = canonicalFile(op.file);
    const known = past.get(key) ?? { file: op.file, images: new Set(), runs: new Set(), ops: [] };
    past.set(key, known);
    for (const hash of [op.before, op.after]) if (hash !== null) known.images.add(hash);
    if (entry !== undefined) known.runs.add(entry.run);
    known.ops.push(op);
  }
}

function saidIn(image: Buffer | undefined): Said | undefined {
  if (image === undefined || image.length > MEMORY_LIMITS.topicBytesMax * 2) return undefined;
  const { name, body } = parseTopicFile(image.toString("utf8"));
  return { name, text: textHashOf({ body }) };
}
