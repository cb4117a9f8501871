// Which line of the index leaves first when room is short. Pure; the order is the product's promise: superseded,
// vanished, reference, past project, older project, user, feedback, each oldest first, and what was just learnt last.
import type { Memory } from "../../domain/memories.ts";
import type { IndexLine } from "./index-lines.ts";

export interface OrderFacts {
  readonly memories: readonly Memory[];
  readonly unavailable: readonly string[];
  readonly ensure: readonly string[];
  /** Files whose line was only just added: among equals they leave first, so that the same question again changes nothing. */
  readonly add?: readonly string[];
  readonly superseded?: readonly string[];
  readonly today: string;
}

const RANK = {
  superseded: 0,
  vanished: 1,
  reference: 2,
  past: 3,
  project: 4,
  user: 5,
  feedback: 6,
  justLearnt: 7,
} as const;

/** Host-kept lines, the first to leave first. */
export function leavingOrder<Line extends Pick<IndexLine, "kept">>(
  lines: readonly Line[],
  facts: OrderFacts,
): Line[] {
  const memories = new Map(facts.memories.map((memory) => [memory.file, memory]));
  const superseded = new Set([...(facts.superseded ?? []), ...replacedFiles(facts.memories)]);
  const added = new Set(facts.add);
  const learntAt = new Map(facts.ensure.map((file, at) => [file, at]));
  const unavailable = new Set(facts.unavailable);
  const seen = new Set<string>();
  const ranked = lines.flatMap((line, place) => {
    if (line.kept === undefined) return [];
    const { file } = line.kept;
    const repeated = seen.has(file);
    seen.add(file);
    const memory = memories.get(file);
    const learnt = learntAt.get(file) ?? -1;
    const rank = repeated
      ? RANK.superseded
      : learnt !== -1
        ? RANK.justLearnt
        : superseded.has(file)
          ? RANK.superseded
          : rankOf(memory, { isUnavailable: unavailable.has(file), today: facts.today });
    return [
      {
        line,
        rank,
        learnt,
        stated: memory === undefined ? "" : stated(memory),
        isOld: added.has(file) ? 0 : 1,
        place,
      },
    ];
  });
  return ranked
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        a.learnt - b.learnt ||
        compare(a.stated, b.stated) ||
        a.isOld - b.isOld ||
        a.place - b.place,
    )
    .map(({ line }) => line);
}

function rankOf(
  memory: Memory | undefined,
  { isUnavailable, today }: { readonly isUnavailable: boolean; readonly today: string },
): number {
  // Not downloaded is not gone; its type is unknown, so it leaves late.
  if (memory === undefined) return isUnavailable ? RANK.user : RANK.vanished;
  if (memory.type === "project" && isPast(memory, today)) return RANK.past;
  return RANK[memory.type ?? "project"];
}

/** ISO time of the last statement; sorts as text. */
function stated({ confirmed, modified, mtimeMs }: Memory): string {
  const written = modified !== undefined && !Number.isNaN(Date.parse(modified)) ? modified : isoTime(mtimeMs);
  return confirmed ?? written;
}

function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Words that make a date an end, in the languages we write. */
const END_WORDS =
  /\b(?:until|till|by|due|deadline|freezes?|ends?|ending|expires?|before|bis|frist|endet|vor|hasta|antes|vence|plazo|fecha límite)\b|まで|期限|締切|締め切り|截止|到期|之前|前/iu;

/** A project memory whose last named end lies before today. */
function isPast({ description, body }: Memory, today: string): boolean {
  const text = `${description ?? ""}\n${body.slice(0, 4_000)}`;
  if (!END_WORDS.test(text)) return false;
  const dates = [...text.matchAll(/\b\d{4}-\d{2}-\d{2}\b/gu)].map(([date]) => date).toSorted();
  const last = dates.at(-1);
  return last !== undefined && last < today;
}

/** Files another memory says it replaces (`supersedes [[name]]`), or whose name it carries on (`port_fix.md`). */
function replacedFiles(memories: readonly Memory[]): Set<string> {
  const byName = new Map<string, string>();
  for (const { file, name } of memories) {
    byName.set(file, file);
    byName.set(file.slice(0, -".md".length), file);
    if (name !== undefined) byName.set(name, file);
  }
  const replaced = new Set<string>();
  for (const memory of memories) {
    const named = memory.body.matchAll(
      /\b(?:supersedes|replaces)[: ]+(?:\[\[([^[\]\n]{1,200})\]\]|([\w.-]{1,200}\.md))/giu,
    );
    const older = /^(.+?)[_-](?:fix|correction|update|updated|new|v\d+)\.md$/u.exec(memory.file)?.[1];
    for (const target of [...[...named].map(([, link, file]) => link ?? file), older]) {
      const file = target === undefined ? undefined : byName.get(target.trim());
      if (file !== undefined && file !== memory.file) replaced.add(file);
    }
  }
  return replaced;
}
