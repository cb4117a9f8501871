// What stands before the point of a sentence: "Also, ", "Marta, ", "By the way, ". Pure.

const WORDS =
  /^(?:(?:no|nope)[,:.!–-]+\s*|(?:and|also|so|ok(?:ay)?|hey|btw|please|pls|kindly|oh|yes|yep|yeah|right|well|but|again|exactly|perfect|great|good|sure|just|now|then|plus|lastly|finally|firstly?|secondly?|thirdly|next|additionally|furthermore|moreover|instead|actually|correct|und|auch|bitte|ja|nein|außerdem|y|sí|también|además)[,:.!]?\s+)/iu;
/** One capitalised word and a comma: a name that is called, or an adverb we do not list. */
const CALLED = /^\p{Lu}\p{Ll}{1,20},\s+/u;
const PHRASES =
  /^(?:as (?:you know|mentioned|well|always|usual)|by the way|in addition|for one|first (?:of all|and foremost)|on top of that|one (?:more|other|last) thing|one thing|another thing|to (?:start|begin) with|to that end|that said|with that in mind|heads up|fyi|por favor|por cierto|im übrigen|moving on(?: to [^,:]{3,60})?|(?:speaking of|aside from|regardless of) [^,:]{3,60})(?:,|:| ?[-–—])\s*/iu;
/** A clause of purpose or contrast before a wish or an order. */
const CLAUSES =
  /^(?:to|as|since|because|while|although|even if|now that|given|on|regarding|in|besides|apart from|with) [^,;:]{2,100}, (?=(?:i|we|please|always|never|make sure|ensure)\b)|^[^:"'`]{3,100} (?:follow|in mind|following|standards?|guidelines?|conventions?|instructions?|adopt|important|one thing): (?=(?:first(?:ly)?, |please )?(?:always|never)\b)|^(?:another|one|here(?:'s| is)|my|the|so|first) [^:,"'`]{3,80}: (?=\p{L})/iu;
const PHRASES_CJK =
  /^(?:另外|还有|对了|顺便|对|好的?|嗯|不对|请|請|麻烦|それと|あと|なお|はい|うん)[，,、:：]?/u;
/** Real sentences start with two or three of them. */
const OPENINGS_MAX = 4;

/** The sentence from its point on. */
export function withoutOpening(sentence: string): string {
  let rest = sentence.trim();
  for (let count = 0; count < OPENINGS_MAX; count++) {
    const shorter = [WORDS, CALLED, PHRASES, CLAUSES, PHRASES_CJK].reduce(
      (text, pattern) => text.replace(pattern, ""),
      rest,
    );
    if (shorter === rest || shorter === "") break;
    rest = shorter;
  }
  return rest;
}
