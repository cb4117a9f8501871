// Which of the four types a statement is. Orders about how to work are feedback; what is the case is about the project.
import type { MemoryType } from "../../domain/memories.ts";
import { withoutOpening } from "./cues/opening.ts";
import { asksElsewhere, orderOf } from "./cues/order.ts";
import { isStandingRule } from "./cues/standing.ts";
import { languageOf } from "./language.ts";

const SELF =
  /^(?:(?:that )?i(?:'m| am|'ve| have| work| know| speak| use| live)\b|my (?:name|role|background|job|pronouns|timezone|time zone|native)\b|(?:我|本人)(?:是|在|叫|主要|平时|负责|不懂|不熟|习惯)|(?:私|僕|俺|自分)(?:は|の)|ich (?:bin|arbeite|heiße|kenne|spreche)\b|mein name\b|(?:yo )?(?:soy|trabajo|me llamo|llevo|mi nombre)\b)/iu;
const POINTER = /https?:\/\/|\b[\w-]+\.(?:internal|corp|lan|local)\b/iu;
/** A sentence with its own subject tells; what we do is a fact even with "always" in it. */
const TELLS =
  /^(?!(?:always|never|please|do not|don.?t|only|first|then|just)\b)(?:that )?(?:we|our|the|it|there|they|this|all|every|each|some|most|these|nobody|everybody|everyone|staging|production|prod|[A-Z][\w-]+|\w+) (?:\w+ly )?(?:is|are|was|were|has|have|had|gets?|runs?|lives?|stands?|means|starts?|begins?|ends?|uses?|expects?|owns?|writes?|needs?|only|always|never|goes|stays?|deploy|use|don'?t|ship|release|keep|store|support|supports?)\b|^(?:wir|unser\w*|der|die|das|es|alle)\b|^(?:nosotros|nuestr[oa]s?|los|las|el|la|se|usamos)\b|^(?:我们|咱们|[^，,。]{1,20}(?:是|在|会|有))|^[^、。]{1,40}(?:は|が)(?!.*(?:て(?:ください|ね)|ないで|ように))/iu;

export function kindOf(text: string): MemoryType {
  const point = withoutOpening(text);
  if (SELF.test(point)) return "user";
  if (POINTER.test(point)) return "reference";
  return isRule(point) ? "feedback" : "project";
}

function isRule(point: string): boolean {
  // "We always use UTC" is how things are; "always use UTC" is how to work.
  if (TELLS.test(point)) return false;
  if (isStandingRule(point)) return true;
  return languageOf(point) === "en" ? orderOf(point) !== undefined : asksElsewhere(point);
}
