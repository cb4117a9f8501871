// What a memory names of its project: paths, scripts, targets, packages. Careful: only what cannot well be anything else,
// and nothing of a sentence that says it is gone, is to come, or is not to be used. Pure.
import { plainText } from "../gate/plain-text.ts";

export interface Mention {
  readonly kind: "path" | "script" | "target" | "package";
  /** As it is to be asked for. */
  readonly name: string;
}

/** Mentions looked at of one line; hostile text has many. */
const MENTIONS_MAX = 20;
const LINE_CHARS_MAX = 2_000;

/** The sentence speaks of what is no more, is not yet, or is not wanted. In five languages. */
const NOT_THERE = new RegExp(
  [
    String.raw`\b(?:remov|delet|renam|drop(?:s|ped|ping)?\b|mov(?:e|ed|es|ing)\b|replac|supersed|deprecat|retir|gone\b|former|previous|legacy|obsolete|no longer|used to|was\b|were\b|instead|rather than|never|not\b|no\b|without|avoid|don't|doesn't|isn't|creat|generat|planned|should be\b|example|e\.g\.|such as|elsewhere|other repo|(?:in|of|from) (?:our|their|an|another|the [\w/-]+|[\w-]+\/[\w-]+) repo)`,
    String.raw`\b(?:entfern|gelöscht|lösch|umbenannt|verschoben|ersetz|früher|ehemalig|veraltet|nicht|kein|nie\b|statt|ohne|erstell|erzeug|geplant|war\b|waren\b|beispiel|z\. ?b\.)`,
    String.raw`\b(?:elimin|borr|renombr|movi|reemplaz|antes|antigu|obsolet|ya no|no\b|nunca|sin\b|en vez|cre(?:a|ar|ado)\b|gener|era\b|ejemplo|p\. ?ej\.|(?:en|del) (?:otro )?repositorio de\b)`,
    "删除|移除|改名|重命名|移到|移动|替换|取代|以前|之前|旧|废弃|不|没|别|无|新建|创建|生成|例如|比如",
    "削除|消し|改名|移動|置き換|以前|旧|廃止|ない|なく|ません|せず|作成|生成|予定|例えば",
  ].join("|"),
  "iu",
);

/** Folders that hold what is made, fetched or private: absent is no news. */
const MADE = new Set(
  (
    "dist build out output target node_modules vendor coverage tmp temp cache .cache .venv venv env __pycache__ .git .next " +
    ".nuxt .turbo logs log generated gen release releases debug bin obj .terraform site public"
  ).split(" "),
);

/** A path with a slash, its last part with an ending; no scheme, no placeholder, no glob, no range of letters. */
const PATH =
  /^(?:\.\/|\/)?(?:[\p{L}\p{N}_.@+-]{1,100}\/){1,15}[\p{L}\p{N}_.@+-]{1,100}\.[a-z][a-z0-9]{0,9}$/iu;
const PLACEHOLDER =
  /(?:^|[/_.-])(?:x{2,}|foo|bar|baz|name|your|my|some|path|to|example|file|folder|yyyy|mm|dd)(?=[/_.-]|$)/iu;
/** The first part is a host, not a folder. */
const HOST =
  /^(?:www\.|[\w-]+\.(?:com|org|net|io|dev|app|co|ai|edu|gov|cloud|local|test|example|de|es|fr|uk|jp|cn|eu)\/)/iu;

const SCRIPT = /\b(?:npm|pnpm|yarn|bun) run (?:-s |--silent )?([\w:.-]{1,60})(?![\w:.*{<-])/gu;
const TARGET = /(?:^|[`\s(])make ([a-z][\w.-]{0,40})(?=`)/gu;
const PACKAGE_WORD = String.raw`(?:npm )?(?:packages?|librar(?:y|ies)|dependenc(?:y|ies)|paket|bibliothek|abhängigkeit|paquete|librería|dependencia|包|库|依赖|パッケージ|ライブラリ)`;
const PACKAGE_NAME = String.raw`((?:@[a-z0-9][\w.-]{0,60}/)?[a-z0-9][a-z0-9._-]{1,60})`;
const PACKAGE = new RegExp(
  [
    "`",
    PACKAGE_NAME,
    "` ",
    PACKAGE_WORD,
    String.raw`(?!\p{L})|(?<!\p{L})`,
    PACKAGE_WORD,
    " `",
    PACKAGE_NAME,
    "`",
  ].join(""),
  "giu",
);

/** The dot of an abbreviation ends no sentence. */
const SENTENCE_END = /(?<=[.!?])(?<!(?<!\p{L})(?:e\.g|i\.e|cf|vs|etc|z|b|d|h|bzw|p|ej)\.)\s+|(?<=[。！？])/iu;

/** What one line names. */
export function mentionsIn(text: string): readonly Mention[] {
  const sentences = plainText(text.slice(0, LINE_CHARS_MAX)).split(SENTENCE_END);
  return sentences.flatMap(namedIn).slice(0, MENTIONS_MAX);
}

/** Packages of a machine stand in no manifest of a project. */
const OF_A_SYSTEM =
  /(?<![\p{L}\p{N}])(?:apt(?:-get)?|dnf|yum|apk|brew|homebrew|pacman|nix|winget|choco|snap|flatpak|pipx|debian|ubuntu|alpine|fedora|arch|macos|system|global(?:ly|es)?|os)(?!\p{L})|系统|システム/iu;

function namedIn(line: string): readonly Mention[] {
  // The words of the sentence, not those of the names themselves: `old/previous.ts` is a path.
  const words = line.replace(/`[^`]*`/gu, " ").replace(/\S*[/\\]\S*/gu, " ");
  if (NOT_THERE.test(words)) return [];
  const named = (kind: Mention["kind"], pattern: RegExp) =>
    [...line.matchAll(pattern)].flatMap(([, first, second]): Mention[] => {
      const name = first ?? second;
      return name === undefined ? [] : [{ kind, name }];
    });
  return [
    ...pathsIn(line).map((name): Mention => ({ kind: "path", name })),
    ...named("script", SCRIPT),
    ...named("target", TARGET),
    ...(OF_A_SYSTEM.test(words) ? [] : named("package", PACKAGE)),
  ];
}

function pathsIn(line: string): string[] {
  const pieces = line
    .split(/[\s`"'()[\]<>,;，。；：、「」]+/u)
    .map((piece) => piece.replace(/[.:!?]+$/u, ""));
  return [...new Set(pieces)].filter((piece) => {
    if (!PATH.test(piece) || HOST.test(piece) || PLACEHOLDER.test(piece)) return false;
    const parts = piece.replace(/^\.?\//u, "").split("/");
    return !parts.some((part) => MADE.has(part.toLowerCase()) || part === ".." || part === "~");
  });
}
