// "Never push without asking" forbids, although it holds the words of a permission. Strict: what is not plainly a rule
// against one act stays what it looks like. Pure.

const ACT =
  "(?:force-?)?(?:push|commit|deploy|merge|rebase|amend|reset|delete|remove|drop|overwrite|run|execute|install|uninstall|publish|release|change|modify|edit|rename|move|create|add|upgrade|update|touch|migrate|restart|send)";
const AGAINST = "(?:never|do not|don['’]?t|must not|mustn['’]?t|should not|shouldn['’]?t|may not)";
/** Whatever could begin another act, which the rule would then allow. */
const TURN = `(?:and|but|or|then|just|instead|always|you|can|may|could|i|we|${ACT}(?:s|ed|ing)?)`;
const LEAVE =
  "(?:asking|confirming|(?:my |our |an? )?(?:confirmation|approval|permission|consent|ok(?:ay)?))";

const FORBIDDEN = new RegExp(
  String.raw`(\b${AGAINST} (?:ever )?${ACT}(?: (?!${TURN}\b)[^\s.,;:!?]+){0,8}) without (?:first )?${LEAVE}(?: (?:me|us))?(?: first)?(?= *(?:[.,;!\n]|$))`,
  "giu",
);

/** The text without "without asking" where that ends a rule against doing something. */
export function withoutRestrictions(text: string): string {
  return text.replace(FORBIDDEN, "$1");
}
