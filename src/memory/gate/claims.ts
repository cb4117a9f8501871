// The checkable pieces of a text: commands, URLs, paths, identifiers, numbers, dates. Pure; understands no meaning.
import { normalise } from "./words.ts";

export type ClaimKind = "url" | "command" | "path" | "identifier" | "number" | "date";

export interface Claim {
  readonly kind: ClaimKind;
  /** Folded for comparison; shown to people as it is. */
  readonly text: string;
}

interface Finder {
  readonly kind: ClaimKind;
  readonly pattern: RegExp;
}

/** What belongs to a command in the middle of a sentence: flags, paths and the like, not plain words. */
const ARGUMENTS = String.raw`(?: +(?:-[^\s,;。，；)]{1,100}|[^\s,;。，；)]{0,60}[/.:=@~_][^\s,;。，；)]{1,60})){0,10}`;
/** Program names that are no ordinary word, or become a command with one of these second words. */
const COMMAND = new RegExp(
  [
    String.raw`\b(?:npm|pnpm|yarn|bun) (?:(?:run|exec|dlx) [\w@./:-]{1,60}|(?:install|ci|i|test|add|remove|publish|start|build)\b)${ARGUMENTS}`,
    String.raw`\bgit (?:push|pull|commit|rebase|reset|checkout|switch|merge|clean|stash|add|fetch|clone|config|revert)\b${ARGUMENTS}`,
    String.raw`\b(?:docker|kubectl|terraform|cargo|pip3?|brew|apt|apt-get|gh|go) (?:run|exec|build|compose|pull|push|apply|delete|get|install|test|plan|destroy|mod|pr)\b${ARGUMENTS}`,
    String.raw`\b(?:sudo|curl|wget|chmod|chown|npx|scp|ssh|rm) [-~./\w][^\s,;。，；)]{0,100}${ARGUMENTS}`,
    String.raw`\| ?(?:ba|z|da)?sh\b`,
  ].join("|"),
  "giu",
);

/** In order: what an earlier finder took is not looked at again. Repetitions are bounded: hostile text stays linear. */
const FINDERS: readonly Finder[] = [
  { kind: "command", pattern: /```[^\n]{0,100}\n([\s\S]*?)```/gu },
  { kind: "command", pattern: /`([^`\n]+)`/gu },
  { kind: "url", pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'）)\]]+/giu },
  {
    kind: "url",
    pattern: /\b(?:www\.|(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}\/)[^\s<>"'）)\]。，]*/giu,
  },
  { kind: "command", pattern: COMMAND },
  { kind: "command", pattern: /(?<![\w/.-])--?[a-z][\w-]*(?:=\S+)?/giu },
  { kind: "path", pattern: /(?<![\w/])(?:~|\.{1,2})?\/[\w.@+-]+(?:\/[\w.@+*-]*)*/gu },
  { kind: "path", pattern: /(?<![\w/.@+-])[\w.@+-]{1,255}(?:\/[\w.@+*-]{1,255}){2,40}/gu },
  { kind: "path", pattern: /\b[a-z]:\\[^\s"']+/giu },
  { kind: "date", pattern: /\b\d{4}-\d{2}-\d{2}\b/gu },
  {
    kind: "path",
    pattern:
      /(?<![\w/@+-])(?:[\w@+-]{1,100}\/)?[\w@+-]{1,100}(?:\.[\w@+-]{1,30}){0,3}\.[a-z][a-z0-9]{1,5}\b(?!\.\w)/giu,
  },
  { kind: "identifier", pattern: /@[\w-]{1,100}\/[\w.-]+/gu },
  { kind: "identifier", pattern: /\b[a-z_]\w{1,100}(?:\.\w{1,100}){1,8}\b|\b\w{1,100}\(\)/giu },
  { kind: "identifier", pattern: /\b[a-zA-Z0-9]{0,60}[a-zA-Z]_\w+\b|\b[A-Z0-9]{1,60}_[A-Z0-9_]+\b/gu },
  { kind: "identifier", pattern: /\b[a-z]{1,100}[A-Z]\w*\b|\b[A-Z][a-z0-9]{1,100}[A-Z]\w*\b/gu },
  { kind: "identifier", pattern: /\b[a-z][a-z_-]{0,60}\d[\w-]*/giu },
  { kind: "number", pattern: /\d+(?:[.,:]\d+)*/gu },
];

const FULL_DATE = /(\d{4})\s*[年/.]\s*(\d{1,2})\s*[月/.]\s*(\d{1,2})\s*日?/gu;
const LIST_MARK = /^\s*\d+[.)]\s/gmu;

/** Every checkable piece of `text`, each once. */
export function claimsOf(text: string): Claim[] {
  const claims = new Map<string, Claim>();
  let rest = isoDates(text.normalize("NFKC")).replace(LIST_MARK, " ");
  for (const { kind, pattern } of FINDERS) {
    rest = rest.replace(pattern, (whole: string, inner: unknown) => {
      for (const line of (typeof inner === "string" ? inner : whole).split("\n")) {
        const claim = { kind, text: trimmed(line, kind) };
        if (claim.text !== "") claims.set(`${kind} ${claim.text}`, claim);
      }
      // A line end, so that no command reaches over the gap.
      return "\n";
    });
  }
  return [...claims.values()];
}

function isoDates(text: string): string {
  return text.replace(
    FULL_DATE,
    (_whole, year: string, month: string, day: string) =>
      ` ${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")} `,
  );
}

function trimmed(text: string, kind: ClaimKind): string {
  if (kind === "number") return plainNumber(text);
  return normalise(text)
    .replace(/^\$ /u, "")
    .replace(/[.,:;!?。，；！？]+$/u, "");
}

/** `8,080` and `8080` are one number. */
function plainNumber(text: string): string {
  return text.replace(/,(?=\d{3}(?:\D|$))/gu, "").replace(/^0+(?=\d)/u, "");
}

/** Small numbers written as words, in the five supported languages. */
const NUMBER_WORDS: readonly (readonly [RegExp, string])[] = (
  [
    "one|eins|eine[nrms]?|uno|una|一",
    "two|twice|zwei|zweimal|dos|二|两",
    "three|drei|tres|三",
    "four|vier|cuatro|四",
    "five|fünf|cinco|五",
    "six|sechs|seis|六",
    "seven|sieben|siete|七",
    "eight|acht|ocho|八",
    "nine|neun|nueve|九",
    "ten|zehn|diez|十",
    "eleven|elf|once",
    "twelve|zwölf|doce",
  ] as const
).map((words, at) => [new RegExp(`(?<![a-zäöüß])(?:${words})(?![a-zäöüß])`, "iu"), String(at + 1)] as const);

/** Text that claims are looked up in: folded once, asked often. */
export interface ClaimSource {
  has(claim: Claim): boolean;
}

export function claimSource(text: string): ClaimSource {
  const unified = isoDates(text.normalize("NFKC"));
  const folded = normalise(unified);
  const numbers = new Set((unified.match(/\d+(?:[.,:]\d+)*/gu) ?? []).map(plainNumber));
  return {
    has(claim) {
      if (claim.kind !== "number") return occurs(claim, folded);
      if (numbers.has(claim.text)) return true;
      return NUMBER_WORDS.some(([words, digits]) => digits === claim.text && words.test(unified));
    },
  };
}

/** What after a piece makes it part of another one; a path may be followed by a line number. */
const GOES_ON: Readonly<Partial<Record<ClaimKind, RegExp>>> = {
  identifier: /^[a-z0-9_]/u,
  path: /^(?:[a-z0-9_]|[.@/-][a-z0-9]|:[a-z])/u,
};

/**
 * Whether a claim stands in `text` as a whole. `https://a.example` does not stand in `https://a.example.evil.test`,
 * a name does in a compound, and Chinese or Japanese letters may touch anything.
 */
function occurs({ kind, text: piece }: Claim, text: string): boolean {
  const goesOn = GOES_ON[kind] ?? /^(?:[a-z0-9_]|[.:@/-][a-z0-9])/u;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + 1)) {
    const after = text.slice(at + piece.length, at + piece.length + 2);
    if (!/[a-z0-9_]/u.test(text.charAt(at - 1)) && !goesOn.test(after)) return true;
  }
  return false;
}
