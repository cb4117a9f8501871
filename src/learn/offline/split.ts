// Two rules in one sentence as two, each to stand and fall by itself. Uses the sentence's own words only; a sentence
// whose halves need each other stays whole. Pure.
import { isConcrete, leansBack } from "./cues/standing.ts";
import { DOING } from "./cues/order.ts";

const VERB = "(?:start|begin|end|finish|prefix|suffix)(?:ing|ning)?";
const NAMES = String.raw`(?:(?!${VERB}\b|and\b|or\b)[a-z]+ ){1,5}`;
const VALUE = String.raw`with (?:(?!and\b)[^\s,.;'"‘“]+ ){0,4}(?:'[^'\s]{1,24}'|"[^"\s]{1,24}"|‘[^’\s]{1,24}’|“[^”\s]{1,24}”|[^\s,.;]*_[^\s,.;]*)`;
/** "Start function names with 'a_' and method names with 'b_'". */
const SHARED_VERB = new RegExp(
  String.raw`^(.*?\b)(${VERB}) (${NAMES})(${VALUE}),? and (${NAMES})(${VALUE})(.*)$`,
  "iu",
);
/** "Start function names with 'a_' and end them with '_b'". */
const SHARED_NAMES = new RegExp(
  String.raw`^(.*?\b)(${VERB}) (${NAMES})(${VALUE}),? and (?:always |also |still )*(${VERB}) (?:them|it|the names?|their names?|these) (${VALUE})(.*)$`,
  "iu",
);
const TWO_ORDERS = new RegExp(
  String.raw`^(.{12,}?),? and (?:also |please |to )*((?:always |never )?${DOING} .{8,})$`,
  "iu",
);
/** What holds for both halves and stands before the first. */
const SHARED_LEAD = /^(?:\S+,? ){0,4}(?:when|whenever|for|if|before|after|every time|each time|in)\b[^,]*,/iu;
/** "Ensure that names are short and start with ...": one thing. */
const NO_OBJECT = /^(?:always |never )?\w+ (?:with|by|in|on|for)\b/iu;

/** At least one text. */
export function rulesIn(sentence: string): readonly string[] {
  const verb = SHARED_VERB.exec(sentence);
  if (verb !== null) {
    const [, lead = "", does = "", first = "", value = "", second = "", other = "", rest = ""] = verb;
    return [`${lead}${does} ${first}${value}.`, `${does} ${second}${other}${rest}`];
  }
  const names = SHARED_NAMES.exec(sentence);
  if (names !== null) {
    const [, lead = "", does = "", thing = "", value = "", ends = "", other = "", rest = ""] = names;
    return [`${lead}${does} ${thing}${value}.`, `${ends} ${thing}${other}${rest}`];
  }
  const [, first = "", second = ""] = TWO_ORDERS.exec(sentence) ?? [];
  const apart =
    isConcrete(first) &&
    isConcrete(second) &&
    !leansBack(second) &&
    !SHARED_LEAD.test(first) &&
    !NO_OBJECT.test(second);
  return apart ? [`${first}.`, second] : [sentence];
}
