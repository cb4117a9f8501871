// What an instruction file of the project says, and how a new statement stands to it. Pure. The file is somebody else's
// text: it is compared and never repeated, and nothing but the very same statement counts as known.
import type { MemoryDraft } from "../../domain/memories.ts";
import type { Instant } from "../../domain/records.ts";
import { choiceOf } from "../files/choice.ts";
import { coreOf, type Looks, looksOf } from "../files/same-fact.ts";
import { sentencesOf } from "./sentences.ts";

export interface InstructionFile {
  /** `CLAUDE.md`; one of a few constants, never a name out of the project. */
  readonly name: string;
  /** Whether the agent the person talks to reads it; what it does not read says nothing to it. */
  readonly isLoaded: boolean;
  /** When it was changed last, where its disk tells. */
  readonly changedAt?: Instant;
  readonly rules: readonly string[];
}

/**
 * `same`: nothing in it is new. `strengthens`, `narrows`: it says the rule and more. `differs`: it takes what the rule
 * leaves.
 */
export type Relation = "same" | "strengthens" | "narrows" | "differs";

export interface Related {
  readonly relation: Relation;
  readonly file: InstructionFile;
}

/** A longer sentence is no rule anybody repeats. */
const RULE_CHARS_MAX = 400;
/** Beyond this a file is prose; what stands below is not compared. */
const RULES_MAX = 400;
/** Fewer words than this are a heading, and everything about its subject would seem to narrow it. */
const NARROWED_WORDS_MIN = 3;
/** Share of a rule's words that a restatement may leave out. */
const LEFT_OUT_MAX = 0.15;

/** The sentences of an instruction file. A comment in it is not seen by the person who reads it rendered. */
export function rulesOf(text: string): readonly string[] {
  return sentencesOf(text.replace(/<!--[\s\S]*?(?:-->|$)/gu, " "))
    .filter((sentence) => sentence.length <= RULE_CHARS_MAX)
    .slice(0, RULES_MAX);
}

type Statement = Pick<MemoryDraft, "body" | "description">;

/** How a statement stands to what the files say; a file that says the same comes first. */
export function relatedTo(memory: Statement, files: readonly InstructionFile[]): Related | undefined {
  const sentences = sentencesOf(coreOf(memory.body)).map((text) => spoken(text));
  if (sentences.length === 0) return undefined;
  const found = files.flatMap((file): Related[] => {
    const rules = file.rules.map((text) => spoken(text));
    const each = sentences.map((sentence) => strongest(sentence, rules));
    const isSame = each.every((relation) => relation === "same");
    const relation = isSame ? "same" : each.find((other) => other !== undefined && other !== "same");
    // Some of it is said there already, and the rest is new.
    const kept = relation ?? (each.includes("same") ? "narrows" : undefined);
    return kept === undefined ? [] : [{ relation: kept, file }];
  });
  const isKnown = ({ relation, file }: Related) => relation === "same" && file.isLoaded;
  return found.find(isKnown) ?? found.find(({ relation }) => relation !== "same") ?? found[0];
}

interface Spoken extends Looks {
  readonly text: string;
}

/** "From now on" and "please" make no other rule of it. */
const AROUND =
  /\b(?:(?:from|as of) now(?: on)?|going forward|in (?:the )?future|make sure (?:to|that|you)|be sure to|i (?:want|need|would like|'d like) you to|remember(?: that| to)?|ab (?:jetzt|sofort)|von nun an|künftig|in zukunft|a partir de ahora|de ahora en adelante|recuerda(?: que)?)\b|从现在(?:起|开始)|以后|今后|记住|これから(?:は)?|今後(?:は)?/giu;

function spoken(text: string): Spoken {
  const said = text.replace(AROUND, " ");
  return { text: said, ...looksOf(said) };
}

const ORDER: readonly Relation[] = ["same", "strengthens", "narrows", "differs"];

function strongest(sentence: Spoken, rules: readonly Spoken[]): Relation | undefined {
  const found = new Set(rules.map((rule) => relationOf(sentence, rule)));
  return ORDER.find((relation) => found.has(relation));
}

function relationOf(ours: Spoken, rule: Spoken): Relation | undefined {
  const [choice, other] = [choiceOf(ours.text), choiceOf(rule.text)];
  if (choice !== undefined && other !== undefined) {
    if (choice.leave === other.leave && choice.take === other.take) {
      return choice.where === other.where ? "same" : other.where === "" ? "narrows" : undefined;
    }
    const isOpposed = choice.leave === other.take || choice.leave === other.leave;
    return isOpposed && choice.where === other.where ? "differs" : undefined;
  }
  if (ours.negates !== rule.negates) return undefined;
  const added = [...ours.words].filter((word) => !rule.words.has(word));
  const missing = [...rule.words].filter((word) => !ours.words.has(word));
  if (added.length === 0 && ours.hard === rule.hard && ours.words.size > 1) {
    return missing.length <= LEFT_OUT_MAX * rule.words.size ? "same" : undefined;
  }
  if (missing.length > 0 || added.length === 0 || rule.words.size < NARROWED_WORDS_MIN) return undefined;
  return INSISTS.test(ours.text) ? "strengthens" : "narrows";
}

/** Said again because it was not kept to. */
const INSISTS =
  /\bforg[eo]t|\bagain\b|\btold you\b|\btimes\b|\balready said\b|\bkeep(?:s)? \w+ing\b|\bserious|\bvergess|\bvergiss|\bschon wieder\b|\b\d+ ?mal\b|\botra vez\b|\bolvid|\bveces\b|又|再次|多次|几次|忘|何度|何回/iu;
