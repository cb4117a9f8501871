// MemoryCode: dialogues of a mentor (stands for the person) and a mentee. Standing instructions are to be kept,
// talk about the office is not.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Memory } from "../../src/domain/memories.ts";
import {
  createFolder,
  learn,
  statementOf,
  tallyClass,
  type Classes,
  type Saved,
  type Turn,
} from "./quality-session.ts";
import { zoneNamed } from "../helpers/time-zone.ts";

export interface MemoryCodeScore {
  /** Saved items about an instruction of their session / saved items. */
  readonly precision: number;
  /** Instructions with a saved item / instructions. */
  readonly recall: number;
  /** Sessions without an instruction that save something / such sessions. */
  readonly falseSaves: number;
  /** Conventions whose final store holds the newest value and no older one / conventions. */
  readonly newestValue: number;
  readonly saved: number;
  readonly instructions: number;
  readonly refusedByGate: number;
  /** Recall by kind: coding conventions, other standing instructions. */
  readonly recallCoding: number;
  readonly recallOther: number;
  readonly classes: Classes;
}

interface Dialogue {
  readonly context: { readonly mentor: string };
  /** By session: `[convention, version]` of its coding instructions, in the order of `topic`. */
  readonly instructions: readonly (readonly (readonly [number, number] | -1)[])[];
  readonly sessions: readonly {
    readonly type: readonly string[];
    readonly topic: readonly string[];
    readonly text: string;
  }[];
}

/** Words an instruction shares with every other one (the set's own list). */
const STOPS = new Set(
  "always start end with use names name when a an to in of for all do not include never add each every".split(
    " ",
  ),
);
const ABOUT_SHARE = 0.6;
const START_MS = Date.parse("2026-03-02T09:00:00Z");
const DAY_MS = 86_400_000;

interface Tally {
  saved: number;
  right: number;
  gold: number;
  found: number;
  codingGold: number;
  codingFound: number;
  idle: number;
  idleSaved: number;
  conventions: number;
  newest: number;
  refused: number;
  readonly classes: Classes;
}

/** Told about every judgement, for reading: `miss`, `wrong`, `hit`, `refused`. */
export type Witness = (what: string, line: string) => void;

export async function scoreMemoryCode(folder: string, witness: Witness): Promise<MemoryCodeScore> {
  const tally: Tally = {
    saved: 0,
    right: 0,
    gold: 0,
    found: 0,
    codingGold: 0,
    codingFound: 0,
    idle: 0,
    idleSaved: 0,
    conventions: 0,
    newest: 0,
    refused: 0,
    classes: {},
  };
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const dialogue = JSON.parse(readFileSync(join(folder, file), "utf8")) as Dialogue;
    await scoreDialogue(dialogue, { id: file.replace(".json", ""), tally, witness });
  }
  return {
    precision: share(tally.right, tally.saved),
    recall: share(tally.found, tally.gold),
    falseSaves: share(tally.idleSaved, tally.idle),
    newestValue: share(tally.newest, tally.conventions),
    saved: tally.saved,
    instructions: tally.gold,
    refusedByGate: tally.refused,
    recallCoding: share(tally.codingFound, tally.codingGold),
    recallOther: share(tally.found - tally.codingFound, tally.gold - tally.codingGold),
    classes: tally.classes,
  };
}

interface Scene {
  readonly id: string;
  readonly tally: Tally;
  readonly witness: Witness;
}

async function scoreDialogue(dialogue: Dialogue, { id, tally, witness }: Scene): Promise<void> {
  const folder = createFolder();
  const versions = new Map<number, string[]>();
  for (const [index, session] of dialogue.sessions.entries()) {
    const found = await learn({
      id: `${id}-${index}`,
      turns: turnsOf(session.text, dialogue.context.mentor),
      startMs: START_MS + index * DAY_MS,
      timeZone: zoneNamed("UTC"),
    });
    folder.keep(found.saves);
    tally.refused += found.refused.length;
    for (const { saved, message } of found.refused) witness("refused", `${message}: ${saved.memory.body}`);
    const gold = session.topic.filter((_topic, at) => session.type[at]?.includes("instruction"));
    scoreSession({ gold, types: session.type, topics: session.topic, saves: found.saves, tally, witness });
    const coding = session.topic.filter((_topic, at) => session.type[at]?.startsWith("instruction-"));
    for (const [at, pair] of pairsOf(dialogue.instructions[index]).entries()) {
      const topic = coding[at];
      if (topic !== undefined) versions.set(pair[0], [...(versions.get(pair[0]) ?? []), topic]);
    }
  }
  for (const topics of versions.values()) {
    tally.conventions++;
    if (holdsNewest(topics, folder.memories())) tally.newest++;
  }
}

function pairsOf(pairs: Dialogue["instructions"][number] | undefined): (readonly [number, number])[] {
  return (pairs ?? []).flatMap((pair) => (pair === -1 ? [] : [pair]));
}

function scoreSession(ask: {
  readonly gold: readonly string[];
  readonly types: readonly string[];
  readonly topics: readonly string[];
  readonly saves: readonly Saved[];
  readonly tally: Tally;
  readonly witness: Witness;
}): void {
  const { gold, saves, tally, witness } = ask;
  for (const item of saves) {
    const { memory, cue } = item;
    tally.saved++;
    const right = gold.some((topic) => isAbout(memory, topic));
    tallyClass(tally.classes, item, { is: "saved", right });
    if (right) tally.right++;
    witness(
      right ? "hit" : gold.length === 0 ? "idle" : "wrong",
      `[${cue}] ${memory.description}   <- ${ask.topics.join(" | ")}`,
    );
  }
  for (const topic of gold) {
    const coding = ask.types[ask.topics.indexOf(topic)]?.startsWith("instruction-") === true;
    const found = saves.some(({ memory }) => isAbout(memory, topic));
    tally.gold++;
    if (found) tally.found++;
    if (coding) tally.codingGold++;
    if (coding && found) tally.codingFound++;
    if (!found) witness("miss", topic);
  }
  if (gold.length > 0) return;
  tally.idle++;
  if (saves.length > 0) tally.idleSaved++;
}

/** The item's text holds at least 60 % of the instruction's content words. */
function isAbout(memory: Pick<Saved["memory"], "description" | "body">, topic: string): boolean {
  const text = statementOf(memory);
  const words = contentWords(topic);
  return words.filter((word) => text.includes(word)).length >= ABOUT_SHARE * words.length;
}

function contentWords(topic: string): string[] {
  const words = topic.toLowerCase().match(/[a-z0-9_@]+/gu) ?? [];
  return words.filter((word) => !STOPS.has(word));
}

/** The newest value of a convention stands in the store, and none of its older ones. */
function holdsNewest(topics: readonly string[], memories: readonly Memory[]): boolean {
  const statements = memories.map((memory) =>
    statementOf({ description: memory.description ?? "", body: memory.body }),
  );
  const stands = (topic: string) =>
    statements.some((text) => contentWords(topic).every((word) => text.includes(word)));
  const newest = topics.at(-1) ?? "";
  return stands(newest) && !topics.some((topic) => topic !== newest && stands(topic));
}

/** `Name: text` paragraphs; the mentor is the person, everybody else the assistant. */
function turnsOf(text: string, mentor: string): Turn[] {
  const turns: Turn[] = [];
  for (const paragraph of text.split(/\n\s*\n/u)) {
    const named = /^\s*([\p{L}.'’ -]{1,30}):\s*([\s\S]*)$/u.exec(paragraph);
    const spoken = (named?.[2] ?? paragraph).trim();
    const role = named === null ? turns.at(-1)?.role : named[1] === mentor ? "user" : "assistant";
    if (spoken !== "") turns.push({ role: role ?? "assistant", text: spoken });
  }
  return turns;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
