// Finds secrets in any text and masks them. Never returns, logs or keeps a secret's value. One pass finds the
// keywords; a rule only looks where one of its own stands.
import { remade } from "../../system/remade.ts";
import { createKeywordAutomaton } from "./keywords.ts";
import { findOwnValues } from "./own-values.ts";
import type { Range, SecretRule } from "./rule.ts";
import { SECRET_RULES } from "./table.ts";

export interface FoundSecret extends Range {
  readonly rule: string;
}

export interface MaskedText {
  readonly text: string;
  /** How many of each rule were masked. */
  readonly found: ReadonlyMap<string, number>;
}

/** Text looked at in one piece: it bounds what one rule can cost. */
const CHUNK_CHARS = 262_144;
/** Characters two chunks share; longer than the longest secret we know, an armoured key. */
const OVERLAP_CHARS = 16_384;

/** The name of a finding that is a key of our own; before all rules. */
const OWN_KEY = "own-key";

const KEYWORDS = [...new Set(SECRET_RULES.flatMap((rule) => rule.keywords))];
/** 0.4 MB, made in two milliseconds (measured). */
const automaton = remade(() => createKeywordAutomaton(KEYWORDS));
/** For each keyword its rules, as places in the table. */
const RULES_OF = rulesByKeyword();

function rulesByKeyword() {
  const places = new Map(
    KEYWORDS.map((keyword) => [keyword, new Array<{ rule: SecretRule; place: number }>()]),
  );
  for (const [place, rule] of SECRET_RULES.entries()) {
    for (const keyword of new Set(rule.keywords)) places.get(keyword)?.push({ rule, place });
  }
  return [...places.values()];
}

interface Hit extends FoundSecret {
  readonly place: number;
}

/** Every finding, by position; findings of different rules may overlap. Offsets are UTF-16 units. */
export function findSecrets(text: string): FoundSecret[] {
  const hits = new Map<string, Hit>();
  for (let from = 0; from === 0 || from + OVERLAP_CHARS < text.length; from += CHUNK_CHARS - OVERLAP_CHARS) {
    const chunk = from === 0 && text.length <= CHUNK_CHARS ? text : text.slice(from, from + CHUNK_CHARS);
    // How far each rule has found something: a keyword inside a finding of its rule has nothing to add.
    const until = new Map<number, number>();
    automaton().scan(chunk, (keyword, at) => {
      for (const { rule, place } of RULES_OF[keyword] ?? []) {
        if (at < (until.get(place) ?? 0)) continue;
        const end = addHits(hits, { rule, place, chunk, at, from });
        if (end > 0) until.set(place, end);
      }
    });
  }
  for (const { start, end } of findOwnValues(text))
    hits.set(`${OWN_KEY} ${start} ${end}`, { rule: OWN_KEY, start, end, place: -1 });
  return [...hits.values()]
    .toSorted((a, b) => a.start - b.start || a.place - b.place)
    .map(({ rule, start, end }) => ({ rule, start, end }));
}

interface Look {
  readonly rule: SecretRule;
  readonly place: number;
  readonly chunk: string;
  readonly at: number;
  readonly from: number;
}

/** Where in the chunk the last finding ends. */
function addHits(hits: Map<string, Hit>, { rule, place, chunk, at, from }: Look): number {
  let last = 0;
  for (const range of rule.find(chunk, at)) {
    const [start, end] = [range.start + from, range.end + from];
    hits.set(`${rule.id} ${start} ${end}`, { rule: rule.id, start, end, place });
    last = Math.max(last, range.end);
  }
  return last;
}

/** Replaces each secret by `[secret:<rule>]`; overlapping findings become one. */
export function maskSecrets(text: string): MaskedText {
  const found = new Map<string, number>();
  let masked = "";
  let from = 0;
  for (const { rule, start, end } of merged(findSecrets(text))) {
    masked += `${text.slice(from, start)}[secret:${rule}]`;
    from = end;
    found.set(rule, (found.get(rule) ?? 0) + 1);
  }
  return { text: masked + text.slice(from), found };
}

function merged(secrets: readonly FoundSecret[]): FoundSecret[] {
  const joined: FoundSecret[] = [];
  for (const secret of secrets) {
    const last = joined.at(-1);
    if (last === undefined || secret.start >= last.end) joined.push(secret);
    else if (secret.end > last.end) joined[joined.length - 1] = { ...last, end: secret.end };
  }
  return joined;
}
