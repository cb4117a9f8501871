// The checkable pieces of a text: commands, URLs, paths, identifiers, numbers, dates. Pure; understands no meaning.
import { digitsOf, NUMBER_WORD, saysInWords } from "./number-words.ts";
import { plainText, unmarkedText } from "./plain-text.ts";
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
    String.raw`\bgit (?:push|pull|commit|rebase|reset|checkout|switch|merge|clean|stash|add|fetch|clone|config|revert|remote|tag|rm|mv|init|submodule|cherry-pick|filter-branch)\b${ARGUMENTS}`,
    String.raw`\b(?:docker|kubectl|terraform|cargo|pip3?|brew|apt|apt-get|gh|go) (?:run|exec|build|compose|pull|push|apply|delete|get|install|test|plan|destroy|mod|pr)\b${ARGUMENTS}`,
    String.raw`\b(?:sudo|curl|wget|chmod|chown|npx|scp|ssh|rm) [-~./\w][^\s,;。，；)]{0,100}${ARGUMENTS}`,
    String.raw`\b(?:python3?|node|deno|bash|zsh|sh|perl|ruby|php) (?:-\w|[^\s,;]{0,100}\.[a-z]{1,4}\b)[^\s,;。，；)]{0,100}${ARGUMENTS}`,
    String.raw`\b(?:uv|poetry|gradle|mvn|dotnet|composer|bazel|helm|aws|gcloud|systemctl|launchctl|crontab|pkill|killall) [-~./\w]{1,60}${ARGUMENTS}`,
    String.raw`(?<=\b(?:run|running|execute|call|via|using|with|mit|führe|starte|ejecuta|con) )(?:make|just|task|rake|tox|invoke) [\w:-]{1,60}`,
    String.raw`\| ?(?:ba|z|da)?sh\b`,
  ].join("|"),
  "giu",
);

/** A folder with a slash behind it, or one file or folder below a usual one; "and/or" is neither. */
const FOLDER =
  /(?<![\w/.@+-])(?:(?:\.\/)?(?:src|libs?|tests?|docs?|apps?|packages?|pkg|cmd|internal|bin|scripts?|configs?|public|dist|build|components|tools|vendor|modules|services|migrations|assets|static)\/[\w.@+*-]{1,255}|[\w.@+-]{2,100}\/(?=$|[\s,;:)\]]))/gimu;

/** In order: what an earlier finder took is not looked at again. Repetitions are bounded: hostile text stays linear. */
const FINDERS: readonly Finder[] = [
  { kind: "command", pattern: /(?:```|~~~)[^\n]{0,100}\n([\s\S]*?)(?:```|~~~|$(?![\s\S]))/gu },
  { kind: "command", pattern: /`([^`\n]+)`/gu },
  { kind: "command", pattern: /<(?:code|kbd|pre|samp)>([^<]{1,300})/giu },
  { kind: "url", pattern: /\]\(\s*<?([^)\s>]{1,2000})|^\s*\[(?!\^)[^\]\n]{1,100}\]:\s*(\S{1,2000})/gmu },
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
  { kind: "path", pattern: FOLDER },
  { kind: "date", pattern: /\b\d{4}-\d{2}(?:-\d{2})?\b(?!-\d)/gu },
  {
    kind: "path",
    pattern:
      /(?<![\w/@+-])(?:[\w@+-]{1,100}\/)?[\w@+-]{1,100}(?:\.[\w@+-]{1,30}){0,3}\.[a-z][a-z0-9]{1,5}\b(?!\.\w)/giu,
  },
  { kind: "identifier", pattern: /@[\w-]{1,100}\/[\w.-]+/gu },
  { kind: "identifier", pattern: /\$\{?[a-z_]\w{1,100}/giu },
  { kind: "identifier", pattern: /\b[a-z_]\w{1,100}(?:\.\w{1,100}){1,8}\b|\b\w{1,100}\(\)/giu },
  { kind: "identifier", pattern: /\b[a-zA-Z0-9]{0,60}[a-zA-Z]_\w+\b|\b[A-Z0-9]{1,60}_[A-Z0-9_]+\b/gu },
  { kind: "identifier", pattern: /\b[a-z]{1,100}[A-Z]\w*\b|\b[A-Z][a-z0-9]{1,100}[A-Z]\w*\b/gu },
  { kind: "identifier", pattern: /\b[a-z][a-z_-]{0,60}\d[\w-]*/giu },
  { kind: "number", pattern: /\d+(?:[.,:]\d+)*/gu },
  { kind: "number", pattern: NUMBER_WORD },
];

const FULL_DATE = /(\d{4})\s*[年/.]\s*(\d{1,2})\s*[月/.]\s*(\d{1,2})\s*日?/gu;
const LIST_MARK = /^\s*\d+[.)]\s/gmu;

/** Pieces in code marks that are nothing but a path or a name. */
const ONLY_NAME = /^[\w.$]+\(\)$/u;
const ONLY_PATH = /^[\w.@~+*-]*\/[\w.@+*/-]*$/u;

/** Every checkable piece of `text`, each once; also what is only seen once the marks of Markdown are gone. */
export function claimsOf(text: string): Claim[] {
  const plain = isoDates(plainText(text)).replace(LIST_MARK, " ");
  const claims = new Map<string, Claim>();
  for (const form of [plain, unmarkedText(plain)]) {
    for (const claim of piecesOf(form)) claims.set(`${claim.kind} ${claim.text}`, claim);
  }
  return [...claims.values()];
}

function piecesOf(text: string): Claim[] {
  const claims: Claim[] = [];
  let rest = text;
  for (const { kind, pattern } of FINDERS) {
    rest = rest.replace(pattern, (whole: string, ...groups: unknown[]) => {
      // Behind the groups come the offset and the whole text.
      const inner = groups
        .slice(
          0,
          groups.findIndex((each) => typeof each === "number"),
        )
        .find((group) => typeof group === "string");
      for (const line of (typeof inner === "string" ? inner : whole).split("\n")) {
        const claim = claimOf(kind, line);
        if (claim.text !== "") claims.push(claim);
      }
      // A line end, so that no command reaches over the gap.
      return "\n";
    });
  }
  return claims;
}

function codeKind(piece: string): ClaimKind {
  if (ONLY_NAME.test(piece)) return "identifier";
  return ONLY_PATH.test(piece) ? "path" : "command";
}

function claimOf(kind: ClaimKind, piece: string): Claim {
  const actual = kind === "command" ? codeKind(piece.trim()) : kind;
  return { kind: actual, text: trimmed(piece, actual) };
}

function isoDates(text: string): string {
  return text.replace(
    FULL_DATE,
    (_whole, year: string, month: string, day: string) =>
      ` ${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")} `,
  );
}

function trimmed(text: string, kind: ClaimKind): string {
  if (kind === "number") return plainNumber(digitsOf(text));
  const folded = normalise(text)
    .replace(/^\$ /u, "")
    .replace(/[.,:;!?。，；！？]+$/u, "");
  switch (kind) {
    case "command":
      return withoutQuotes(folded);
    case "path":
      return folded.replace(/^\.\//u, "").replace(/(?<=[^/])\/+$/u, "");
    case "url":
      return folded.replace(/(?<=[^/:])\/+$/u, "");
    case "identifier":
      return folded.replace(/\(\)$/u, "");
    case "date":
      return folded;
  }
}

/** Which quotes a command is given in does not matter. */
function withoutQuotes(folded: string): string {
  return folded.replace(/["']/gu, "");
}

/** `8,080` and `8080` are one number. */
function plainNumber(text: string): string {
  return text.replace(/,(?=\d{3}(?:\D|$))/gu, "").replace(/^0+(?=\d)/u, "");
}

/** Text that claims are looked up in: folded once, asked often. */
export interface ClaimSource {
  has(claim: Claim): boolean;
}

export function claimSource(text: string): ClaimSource {
  const plain = isoDates(plainText(text));
  const forms = [...new Set([plain, unmarkedText(plain)].map(normalise))];
  const commandForms = forms.map(withoutQuotes);
  const numbers = new Set(forms.flatMap((form) => form.match(/\d+(?:[.,:]\d+)*/gu) ?? []).map(plainNumber));
  return {
    has(claim) {
      if (claim.kind === "number") return numbers.has(claim.text) || saysInWords(plain, claim.text);
      return (claim.kind === "command" ? commandForms : forms).some((form) => occurs(claim, form));
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
