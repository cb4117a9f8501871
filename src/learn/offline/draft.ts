// A memory out of one self-contained statement: name, one-line description, body in the person's language.
// Adds no command, path, number or rule that is not in the person's words.
import type { Memory, MemoryDraft, MemoryType } from "../../domain/memories.ts";
import { CUT } from "../../memory/secrets/private-words.ts";
import { slugOf } from "../../memory/files/file-name.ts";
import { languageOf, type Language } from "./language.ts";

/** Room for the type and the link in an index line of 150 characters. */
const DESCRIPTION_CHARS_MAX = 140;
const NAME_WORDS_MAX = 6;

/** Words we add ourselves, by language. */
const WORDS: Readonly<Record<Language, OurWords>> = {
  en: {
    said: (date) => `stated by the person on ${date}.`,
    apply: "wherever it comes up in this project.",
    beside: {
      same: (file) => `${file} says so too.`,
      strengthens: (file) => `Strengthens a rule in ${file}.`,
      narrows: (file) => `Narrows a rule in ${file}.`,
      differs: (file) => `${file} says otherwise; these words are the person's.`,
    },
    supersedes: (older, date) => `Supersedes "${older}"${date === "" ? "" : `, stated on ${date}`}.`,
  },
  zh: {
    said: (date) => `用户于 ${date} 说明。`,
    apply: "在本项目中遇到时照此处理。",
    beside: {
      same: (file) => `${file} 中也这样写。`,
      strengthens: (file) => `加强了 ${file} 中的规则。`,
      narrows: (file) => `细化了 ${file} 中的规则。`,
      differs: (file) => `${file} 的说法不同；这里是用户自己的话。`,
    },
    supersedes: (older, date) => `取代${date === "" ? "" : `用户于 ${date} 说的`}“${older}”。`,
  },
  ja: {
    said: (date) => `${date} に本人が述べたもの。`,
    apply: "このプロジェクトで該当する場面で従う。",
    beside: {
      same: (file) => `${file} にも同じことが書かれている。`,
      strengthens: (file) => `${file} の規則を強めるもの。`,
      narrows: (file) => `${file} の規則を絞るもの。`,
      differs: (file) => `${file} とは異なる。これは本人の言葉。`,
    },
    supersedes: (older, date) => `${date === "" ? "" : `${date} に述べた`}「${older}」に代わるもの。`,
  },
  de: {
    said: (date) => `am ${date} so gesagt.`,
    apply: "überall, wo es in diesem Projekt vorkommt.",
    beside: {
      same: (file) => `Steht auch in ${file}.`,
      strengthens: (file) => `Verschärft eine Regel in ${file}.`,
      narrows: (file) => `Grenzt eine Regel in ${file} ein.`,
      differs: (file) => `${file} sagt etwas anderes; dies sind die eigenen Worte der Person.`,
    },
    supersedes: (older, date) => `Ersetzt „${older}“${date === "" ? "" : `, gesagt am ${date}`}.`,
  },
  es: {
    said: (date) => `dicho por la persona el ${date}.`,
    apply: "donde corresponda en este proyecto.",
    beside: {
      same: (file) => `También lo dice ${file}.`,
      strengthens: (file) => `Refuerza una regla de ${file}.`,
      narrows: (file) => `Precisa una regla de ${file}.`,
      differs: (file) => `${file} dice otra cosa; estas son palabras de la persona.`,
    },
    supersedes: (older, date) => `Sustituye a «${older}»${date === "" ? "" : `, dicho el ${date}`}.`,
  },
};

/** How a statement stands to a rule of an instruction file. */
export type Beside = "same" | "strengthens" | "narrows" | "differs";

interface OurWords {
  readonly said: (date: string) => string;
  readonly apply: string;
  readonly beside: Readonly<Record<Beside, (file: string) => string>>;
  /** `date` is "" where nobody knows. */
  readonly supersedes: (older: string, date: string) => string;
}

const REASON =
  /(?:,? (?:because|since|so that|otherwise) |，?(?:因为|否则)|(?:ので|から)、|,? (?:weil|damit|sonst) |,? (?:porque|ya que|si no) )(.{4,200})$/iu;
/** Too common to tell one memory from another in its name. */
const NAME_STOPS: ReadonlySet<string> = new Set(
  (
    "the a an and or of to in on for from with we our you your i it them they these those lets is are be that this please now going forward want like need sure id " +
    "der die das und oder zu im in auf ist wir ich bitte el la los las un una de del en y o que es " +
    "的 了 是 在 都 也 我 我们 は が を に の で と て ください"
  ).split(" "),
);

export interface Remembered {
  /** Self-contained, relative dates already made absolute. */
  readonly text: string;
  /** The sentence of it that is the rule, where another one only announces it. */
  readonly rule?: string | undefined;
  readonly type: MemoryType;
  /** Local date it was said on. */
  readonly saidOn: string;
}

export function draftOf({ text, rule, type, saidOn }: Remembered): MemoryDraft {
  const sentence = capitalised(withoutCuts(text));
  const line = ruleFirst(sentence, rule === undefined ? undefined : withoutCuts(rule)).replace(/\s+/gu, " ");
  return { name: nameOf(line), description: shortened(line), type, body: bodyOf(sentence, { type, saidOn }) };
}

/** The newer of two statements about one thing: says what it supersedes, and when that was said. */
export function superseding(
  newer: MemoryDraft,
  older: Pick<Memory, "description" | "confirmed" | "modified">,
): MemoryDraft {
  const words = WORDS[languageOf(newer.description)];
  const date = older.confirmed ?? older.modified?.slice(0, 10) ?? "";
  const note = words.supersedes((older.description ?? "").replace(/[.。]$/u, ""), date);
  const body = newer.body.replace(/^(\*\*Why:\*\* .*)$/mu, (line) => `${line} ${note}`);
  return { ...newer, body };
}

/** The mark of a cut says nothing, and would be part of a file's name. */
function withoutCuts(text: string): string {
  return text.replaceAll(CUT, " ").replace(/ {2,}/gu, " ").trim();
}

/** "Always start them with 'f_'. I want to update our naming.": the index shows what to do, then what about. */
function ruleFirst(sentence: string, rule: string | undefined): string {
  if (rule === undefined || !sentence.endsWith(rule)) return sentence;
  return `${capitalised(rule)} ${sentence.slice(0, -rule.length)}`.trim();
}

/** Names the instruction file whose rule a statement repeats, sharpens or goes against. */
export function naming(memory: MemoryDraft, beside: Beside, file: string): MemoryDraft {
  const note = WORDS[languageOf(memory.description)].beside[beside](file);
  return { ...memory, body: memory.body.replace(/^(\*\*Why:\*\* .*)$/mu, (line) => `${line} ${note}`) };
}

/** Cut between words: half a path or half a number would say something nobody said. */
function shortened(line: string): string {
  if (line.length <= DESCRIPTION_CHARS_MAX) return line;
  const sentence = /^.{20,}?[.!?。！？](?=\s|[^\p{ASCII}]|$)/u.exec(
    line.slice(0, DESCRIPTION_CHARS_MAX),
  )?.[0];
  if (sentence !== undefined) return sentence;
  const start = line.slice(0, DESCRIPTION_CHARS_MAX - 1);
  const gap = Math.max(start.lastIndexOf(" "), start.lastIndexOf("，"), start.lastIndexOf("、"));
  const words = gap > DESCRIPTION_CHARS_MAX / 2 ? start.slice(0, gap) : start;
  return `${words.replace(/[\s,;:，、\uD800-\uDBFF]+$/u, "")}…`;
}

function bodyOf(
  sentence: string,
  { type, saidOn }: { readonly type: MemoryType; readonly saidOn: string },
): string {
  if (type === "user" || type === "reference") return `${sentence}\n`;
  const words = WORDS[languageOf(sentence)];
  const reason = REASON.exec(sentence)?.[1];
  return `${sentence}\n\n**Why:** ${reason ?? words.said(saidOn)}\n**How to apply:** ${words.apply}\n`;
}

/** The first telling words, digits and letters of every script; never empty for a text with a letter or digit. */
function nameOf(line: string): string {
  const words = [
    ...new Intl.Segmenter(undefined, { granularity: "word" }).segment(
      line.toLowerCase().replace(/['’]/gu, ""),
    ),
  ]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment);
  const telling = words.filter((word) => !NAME_STOPS.has(word));
  return slugOf((telling.length > 0 ? telling : words).slice(0, NAME_WORDS_MAX).join(" "));
}

function capitalised(text: string): string {
  // A first word that is code (`fooBar`, `npm`) stays as it is typed.
  return /^\p{Ll}+(?=[\s,])/u.test(text) &&
    !/^(?:npm|npx|pnpm|yarn|git|cargo|pip|go|bun|docker|kubectl|make)\b/u.test(text)
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : text;
}
