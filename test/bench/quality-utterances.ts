// Labelled single utterances in five languages. A memory counts as found when the rules save it or keep it as a
// candidate (weak classes wait for a second sighting by design); a save without a gold memory is a wrong save.
import { readFileSync } from "node:fs";
import type { Witness } from "./quality-memorycode.ts";
import { learn, tallyClass, type Classes, type Saved } from "./quality-session.ts";
import { zoneNamed } from "../helpers/time-zone.ts";

export interface UtteranceScore {
  /** Items (saved and candidates) about a gold memory / items. */
  readonly precision: number;
  /** Gold memories saved or kept as candidate / gold memories. */
  readonly recall: number;
  /** Saved, not merely kept as candidate, without a gold memory. */
  readonly wrongSaves: number;
  /** Only what is saved at once: its precision, its recall, and how often its type is the labelled one. */
  readonly savedPrecision: number;
  readonly savedRecall: number;
  readonly typeShare: number;
  readonly dateShare: number;
  readonly refusedByGate: number;
  readonly classes: Classes;
}

interface Utterance {
  readonly id: string;
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
  readonly gold: readonly {
    readonly type: string;
    readonly key: readonly string[];
    readonly date?: string;
  }[];
}

/** The set's dates are counted from this day, a Tuesday. */
const SAID_AT = Date.parse("2026-03-03T10:00:00Z");

export async function scoreUtterances(file: string, witness: Witness): Promise<UtteranceScore> {
  const counts = { items: 0, right: 0, saved: 0, savedRight: 0, gold: 0, found: 0, savedFound: 0 };
  const extra = { wrongSaves: 0, typed: 0, typeRight: 0, dated: 0, dateRight: 0, refused: 0 };
  const classes: Classes = {};
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.trim() === "") continue;
    const { id, role, text, gold } = JSON.parse(line) as Utterance;
    // What a tool printed never reaches the rules as speech.
    const turns = role === "tool" ? [] : [{ role, text }];
    const { saves, candidates, refused } = await learn({
      id,
      turns,
      startMs: SAID_AT,
      timeZone: zoneNamed("UTC"),
    });
    extra.refused += refused.length;
    for (const { saved, message } of refused) witness("refused", `${id} ${message}: ${saved.memory.body}`);
    const matches = (item: Saved) => gold.some((each) => holds(item, each.key));
    const items = [...saves, ...candidates];
    for (const item of saves) tallyClass(classes, item, { is: "saved", right: matches(item) });
    for (const item of candidates) tallyClass(classes, item, { is: "kept", right: matches(item) });
    counts.items += items.length;
    counts.right += items.filter(matches).length;
    counts.saved += saves.length;
    counts.savedRight += saves.filter(matches).length;
    extra.wrongSaves += saves.filter((item) => !matches(item)).length;
    for (const item of items.filter((each) => !matches(each)))
      witness("wrong", `${id} ${item.memory.description}`);
    for (const each of gold) {
      counts.gold++;
      const item = items.find((candidate) => holds(candidate, each.key));
      if (saves.some((saved) => holds(saved, each.key))) counts.savedFound++;
      if (item === undefined) {
        witness("miss", `${id} ${text}`);
        continue;
      }
      counts.found++;
      extra.typed++;
      if (item.memory.type === each.type) extra.typeRight++;
      else witness("type", `${id} ${item.memory.type} should be ${each.type}: ${text}`);
      if (each.date === undefined) continue;
      extra.dated++;
      if (item.memory.body.includes(each.date)) extra.dateRight++;
      else witness("date", `${id} wants ${each.date}: ${item.memory.body}`);
    }
  }
  return {
    precision: share(counts.right, counts.items),
    recall: share(counts.found, counts.gold),
    wrongSaves: extra.wrongSaves,
    savedPrecision: share(counts.savedRight, counts.saved),
    savedRecall: share(counts.savedFound, counts.gold),
    typeShare: share(extra.typeRight, extra.typed),
    dateShare: share(extra.dateRight, extra.dated),
    refusedByGate: extra.refused,
    classes,
  };
}

function holds({ memory }: Saved, keys: readonly string[]): boolean {
  const text = `${memory.description}\n${memory.body}`.toLowerCase();
  return keys.every((key) => text.includes(key.toLowerCase()));
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}
