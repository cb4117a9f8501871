// Where words of a purged memory still stand that are not engramd's to remove: transcripts, other memories, lines the
// person wrote, the log of the service manager. Reads only.
import { join } from "node:path";
import type { PurgeFacts } from "../../domain/service.ts";
import type { Places } from "../../intake/projects/places.ts";
import type { Catalog } from "../../intake/watch/catalog.ts";
import { INDEX_FILE } from "../../memory/files/file-name.ts";
import { parseTopicFile } from "../../memory/files/topic-file.ts";
import { ruleText } from "../../memory/gate/clauses.ts";
import { contentWords } from "../../memory/gate/words.ts";
import { sentencesOf } from "../../memory/gate/sentences.ts";
import { textHashOf } from "../../memory/gate/text-hash.ts";
import { type PurgeIntent, purgedName } from "../../memory/journal/purge-intents.ts";
import type { Trail } from "../../memory/journal/trail.ts";
import { inLogs, type LogsDeps } from "./purge-logs.ts";
import type { FolderViews } from "./folder-view.ts";

export interface RemainsDeps extends LogsDeps {
  readonly places: Places;
  readonly views: FolderViews;
  readonly catalog: Catalog;
  /** Whether a service manager keeps what we print. */
  isLogKept(): boolean;
}

/** Shorter sentences are said everywhere. */
const SENTENCE_WORDS_MIN = 4;
/** Of the versions of one memory. */
const SENTENCES_MAX = 500;
const SERVICE_LOG = "journalctl --user --unit engramd";

interface SaidAsk {
  readonly memoryDir: string;
  readonly trail: Pick<Trail, "image">;
  readonly views: FolderViews;
}

/** Its sentences in all versions; asked before they are gone. */
export function sentencesSaid(
  intent: PurgeIntent,
  { memoryDir, trail, views }: SaidAsk,
): ReadonlySet<string> {
  const live = views.view(memoryDir)?.memories.find(({ hash }) => hash === intent.basis);
  const images = intent.images.flatMap((hash) => {
    const text = trail.image(hash);
    return text === undefined ? [] : [parseTopicFile(text)];
  });
  const said = [...(live === undefined ? [] : [live]), ...images].flatMap(({ body, description = "" }) => [
    // What engramd wrote around it stands in every memory.
    ...sentencesOf(ruleText(body)),
    ...sentencesOf(description),
  ]);
  return new Set(
    said.filter((sentence) => contentWords(sentence).length >= SENTENCE_WORDS_MIN).slice(0, SENTENCES_MAX),
  );
}

interface RemainsAsk {
  readonly said: ReadonlySet<string>;
  readonly deps: RemainsDeps;
}

export function remainsOf(intent: PurgeIntent, { said, deps }: RemainsAsk): PurgeFacts["remains"] {
  const sessions = new Set(intent.sessions);
  const transcripts = [...deps.catalog.entries()]
    .filter(({ source, state }) => sessions.has(state.sessionId) || sessions.has(source.sessionId))
    .map(({ source }) => ({ what: "transcript", path: source.path }) as const);
  const folders = new Set(deps.places.known().map((project) => deps.places.placeOf(project).memoryDir));
  const others = [...folders].flatMap((folder) => inFolder(folder, { intent, said, deps }));
  const logs = inLogs(intent, { said, deps }).map((path) => ({ what: "daily-log", path }) as const);
  const log = deps.isLogKept() ? [{ what: "service-log", path: SERVICE_LOG } as const] : [];
  return [...transcripts, ...others, ...logs, ...log];
}

interface FolderAsk extends RemainsAsk {
  readonly intent: PurgeIntent;
}

function inFolder(folder: string, { intent, said, deps }: FolderAsk): PurgeFacts["remains"] {
  const view = deps.views.view(folder);
  if (view === undefined) return [];
  const files = new Set(intent.files);
  const isNamed = (file: string) => files.has(purgedName(file));
  const isSaid = (text: string) => [...said].some((sentence) => text.includes(sentence));
  const isHere = folder === intent.memoryDir;
  const memories = view.memories.filter(
    (memory) =>
      intent.texts.includes(textHashOf(memory)) ||
      isSaid(`${memory.description ?? ""}\n${memory.body}`) ||
      (isHere && memory.links.some((link) => isNamed(link) || isNamed(`${link}.md`))),
  );
  const index = view.index.text ?? "";
  const namesIt = isHere && [...index.matchAll(/[^\s()[\]<>"']+\.md/gu)].some(([name]) => isNamed(name));
  const others = [...view.conflictCopies, ...view.notMemories.map(({ file }) => file)];
  const copies = isHere ? others.filter((copy) => originalsOf(copy).some(isNamed)) : [];
  return [
    ...memories.map(({ file }) => ({ what: "memory", path: join(folder, file) }) as const),
    ...(namesIt || isSaid(index) ? [{ what: "index", path: join(folder, INDEX_FILE) } as const] : []),
    ...copies.map((copy) => ({ what: "copy", path: join(folder, copy) }) as const),
  ];
}

/** `note.sync-conflict-20260504.md`, `note (1).md`, `note 2.md` and `note.md~` are copies of `note.md`. */
function originalsOf(copy: string): string[] {
  const cuts = [/\.md.*$/u, /\.sync-conflict.*$/u, / \(.*$/u, / \d{1,3}\.md$/u];
  return cuts.filter((cut) => cut.test(copy)).map((cut) => `${copy.replace(cut, "")}.md`);
}
