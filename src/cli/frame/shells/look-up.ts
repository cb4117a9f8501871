// Words for a shell that only engramd knows. They come from files and models, so they are bounded and chosen here:
// whoever prints them needs to trust nothing. Never throws, never takes long, changes nothing.
import { displayText } from "../../../domain/printable.ts";
import { wait } from "../../../system/clock.ts";
import type { CommandContext, UseService } from "../command.ts";
import { projectOf, withService } from "../service.ts";
import type { LookedUp } from "./lines.ts";

/** A person who pressed Tab waits; a slower answer is none. */
const ANSWER_MS = 1_500;
/** More than anybody reads. */
const WORDS_MAX = 500;
const WORD_CHARS_MAX = 200;

export async function lookUp(context: CommandContext, kind: LookedUp): Promise<string[]> {
  const found = wordsOf(context, kind).catch((): string[] => []);
  const words = await Promise.race([found, wait(context.clock, ANSWER_MS).then((): string[] => [])]);
  return words.filter(isOffered).slice(0, WORDS_MAX);
}

/** One line, one word, shown as it is, and no option. */
function isOffered(word: string): boolean {
  return word !== "" && word.length <= WORD_CHARS_MAX && !word.startsWith("-") && displayText(word) === word;
}

async function wordsOf(context: CommandContext, kind: LookedUp): Promise<string[]> {
  if (kind === "setting") return settingNames();
  if (kind === "run") {
    const { runs = [] } = await ask(context, (service) => service.status());
    return runs.map(({ id }) => id);
  }
  if (kind === "past-run") {
    const { runs } = await ask(context, (service) => service.history({}));
    return runs.filter(({ undoable }) => undoable).map(({ id }) => id);
  }
  if (kind === "item") {
    const { items } = await ask(context, (service) => service.inbox({}));
    return items.map(({ id }) => id);
  }
  const project = projectOf(context);
  const { memories } = await ask(context, (service) => service.memories({ project }));
  return memories.map(({ file }) => file.replace(/\.md$/u, ""));
}

/** Without a daemon we look ourselves; a look must leave nothing behind. */
function ask<T>(context: CommandContext, use: UseService<T>): Promise<T> {
  return withService(context, use, { looksOnly: true });
}

/** Each setting and each group of them; entries of a table have names only a person knows. */
async function settingNames(): Promise<string[]> {
  const { listSettings, TABLE_ENTRY } = await import("../../../config/schema.ts");
  const paths = listSettings()
    .map(({ path }) => path)
    .filter((path) => !path.includes(TABLE_ENTRY));
  return [...new Set(paths.flatMap((path) => path.map((_, at) => path.slice(0, at + 1).join("."))))];
}
