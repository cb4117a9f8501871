// What the person asked not to be kept: one statement, or the session from here on. Pure.

/** "Off the record" and `/private`, five languages: nothing from here on teaches. */
const SESSION =
  /\boff the record\b|^\s*\/private\b|^\s*\/\/\s*private\b|不要记录(?:这次|本次)(?:对话|会话)|私下说|オフレコ|記録(?:に)?(?:し|残さ)ないで|\bnicht fürs protokoll\b|(?:^|\b(?:das|dies|es|alles)(?: hier)? (?:bleibt|ist)(?: bitte)? |\bganz |\bstreng )(?:unter uns|vertraulich)(?: gesagt)?(?=\s*(?:[,.:;!–-]|$))|(?:^|\b(?:que )?(?:esto |todo )?qued[ae](?: todo)? )entre nosotros(?=\s*(?:[,.:;!–-]|$))|\bextraoficialmente\b|^(?:te lo digo )?(?:extraoficial|confidencialmente)(?=\s*(?:[,.:;!–-]|$))/imu;

const THING = "(?:this|that|it|these|anything|what i (?:just )?said|the (?:above|last|previous))";
/** "Don't remember this": the statement it stands with is dropped. */
const STATEMENT: readonly RegExp[] = [
  new RegExp(
    String.raw`(?<!\b(?:i|we|he|she|they|who|people) )\b(?:(?:i )?(?:do not|don'?t) want (?:you|this|that) to(?: be)?|do not|don'?t|never|please don'?t|no need to|needn'?t|don'?t have to|don'?t need to) (?:ever )?(?:remember|memori[sz]e|save|store|record|keep|write down|note(?: down)?)(?: ${THING}\b|[:.!]|$)`,
    "iu",
  ),
  new RegExp(String.raw`\bforget (?:that i said|i said|${THING})(?:\b|$)(?! about)`, "iu"),
  /(?:不要|别|別|不用|无需|不必)(?:帮我|替我)?(?:记住|记录|记下|保存|存|记)(?:这|那|它|下来|[:：。！]|$)/u,
  /(?:覚え|記憶し|保存し|メモし|記録し)なくて(?:いい|OK|良い|大丈夫)|(?:覚え|記憶し|保存し|メモし)ないで/u,
  /\b(?:merk(?:e)? dir|speicher(?:e|n sie)?|notier(?:e)?|behalte) (?:das|dies|es|bitte)?\s?(?:bitte )?(?:nicht|nie)\b|\b(?:nicht|nie) (?:merken|speichern|notieren)\b/iu,
  /\bno (?:(?:lo|la|me|te) )?(?:recuerdes|guardes|memorices|anotes|apuntes|registres|almacenes)\b/iu,
];

/** `own-words`: a statement that says itself what is meant, "don't remember this: ..."; the one before it is not. */
export type OptOut = "session" | "statement" | "own-words" | undefined;

/** A colon after the wish, and one word at most before it; or "forget that we ...". */
const ANNOUNCED = /^(?:\s*[^\s:：]+)?\s*[:：]/u;
const CLAUSE = /^\s+(?:i|we|you|he|she|they|the|our|my)\s+(?!said\b)\S/iu;

/** What the sentence asks not to be kept, if anything. */
export function optOutOf(text: string): OptOut {
  if (SESSION.test(text)) return "session";
  const found = STATEMENT.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (!found) return undefined;
  const [wish] = found;
  const rest = text.slice(found.index + wish.length);
  const isClause = /^forget that$/iu.test(wish) && CLAUSE.test(rest);
  return isClause || /[:：]$/u.test(wish) || ANNOUNCED.test(rest) ? "own-words" : "statement";
}

/** Whether a wish that announces words ends before them. */
export function endsOpen(text: string): boolean {
  return /[:：]\s*$/u.test(text);
}
