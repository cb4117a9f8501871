// A strict reader of OpenMetrics text (1.0): throws at the first thing the grammar or its rules for types forbid.
// Written from the specification, not from what we write.

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

/** Suffixes of samples by type; histograms and summaries are not among what we write. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gauge: [""],
  counter: ["_total", "_created"],
  info: ["_info"],
  stateset: [""],
  unknown: [""],
};

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?[iI]nf(?:inity)?|[nN]a[nN])$/;

interface Open {
  readonly name: string;
  type: string | undefined;
  unit: string | undefined;
  help: string | undefined;
  readonly samples: MetricSample[];
}

export function parseOpenMetrics(text: string): MetricFamily[] {
  if (!text.endsWith("\n# EOF\n")) throw new Error("does not end with # EOF and one line feed");
  const lines = text.slice(0, -"# EOF\n".length).split("\n");
  if (lines.pop() !== "") throw new Error("the line before # EOF has no end");
  const families: Open[] = [];
  for (const [at, line] of lines.entries()) {
    try {
      if (line.startsWith("#")) readMetadata(line, families);
      else readSample(line, families);
    } catch (error) {
      throw new Error(`line ${at + 1}: ${line}: ${error instanceof Error ? error.message : "?"}`, {
        cause: error,
      });
    }
  }
  const read = families.map(finish);
  refuseClashes(read);
  return read;
}

function readMetadata(line: string, families: Open[]): void {
  const [, word, name = "", rest = ""] = /^# (TYPE|UNIT|HELP) ([^ ]+) ?(.*)$/.exec(line) ?? [];
  if (word === undefined) throw new Error("no metadata line");
  if (!METRIC_NAME.test(name)) throw new Error("no name of a metric");
  let family = families.at(-1);
  if (family?.name !== name) {
    if (families.some((one) => one.name === name)) throw new Error("a family is told in two places");
    family = { name, type: undefined, unit: undefined, help: undefined, samples: [] };
    families.push(family);
  }
  if (family.samples.length > 0) throw new Error("metadata after samples");
  const key = word.toLowerCase() as "type" | "unit" | "help";
  if (family[key] !== undefined) throw new Error(`${word} twice`);
  if (key === "type" && SUFFIXES[rest] === undefined) throw new Error("no known type");
  family[key] = key === "help" ? unescaped(rest) : rest;
}

function readSample(line: string, families: readonly Open[]): void {
  const family = families.at(-1);
  const name = /^[^{ ]+/.exec(line)?.[0] ?? "";
  if (!METRIC_NAME.test(name)) throw new Error("no name of a metric");
  if (family?.type === undefined) throw new Error("a sample before its TYPE");
  const suffixes = SUFFIXES[family.type] ?? [];
  if (!suffixes.some((suffix) => name === `${family.name}${suffix}`))
    throw new Error(`no sample of the ${family.type} ${family.name}`);
  const { labels, rest } = readLabels(line.slice(name.length));
  // No timestamps, no exemplars: we write none.
  const number = /^ ([^ ]+)$/.exec(rest)?.[1];
  if (number === undefined || !NUMBER.test(number)) throw new Error("no number");
  const value = valueOf(number);
  checkValue(family, { name, labels, value });
  for (const sample of family.samples) {
    if (sample.name === name && isSame(sample.labels, labels))
      throw new Error("two samples with the same labels");
  }
  family.samples.push({ name, labels, value });
}

type Labels = MetricSample["labels"];

function isSame(one: Labels, other: Labels): boolean {
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return names.length === others.length && names.every((name) => one[name] === other[name]);
}

function readLabels(text: string): { labels: Record<string, string>; rest: string } {
  if (!text.startsWith("{")) return { labels: {}, rest: text };
  const labels: Record<string, string> = {};
  let at = 1;
  while (text[at] !== "}") {
    if (at > 1 && text[at++] !== ",") throw new Error("no comma between labels");
    const found = /^([^=]+)="((?:[^"\\\n]|\\["\\n])*)"/.exec(text.slice(at));
    const [all, name = "", value = ""] = found ?? [];
    if (all === undefined) throw new Error("no label");
    if (!LABEL_NAME.test(name)) throw new Error("no name of a label");
    if (Object.hasOwn(labels, name)) throw new Error("a label twice");
    labels[name] = unescaped(value);
    at += all.length;
  }
  return { labels, rest: text.slice(at + 1) };
}

function checkValue({ name: family, type }: Open, { labels, value }: MetricSample): void {
  if (type === "counter" && !(value >= 0)) throw new Error("a counter below 0 or no number");
  if (type === "info" && value !== 1) throw new Error("an info is 1");
  if (type === "stateset" && value !== 0 && value !== 1) throw new Error("a state is 0 or 1");
  if (type === "stateset" && labels[family] === undefined) throw new Error(`no label ${family}`);
}

function finish({ name, type = "unknown", unit = "", help = "", samples }: Open): MetricFamily {
  if (unit !== "" && !name.endsWith(`_${unit}`)) throw new Error(`${name} does not end in its unit ${unit}`);
  if (unit !== "" && (type === "info" || type === "stateset")) throw new Error(`${name} cannot have a unit`);
  const isTotal = type === "counter" && name.endsWith("_total");
  if (isTotal) throw new Error(`${name}: the family of a counter does not end in _total`);
  return { name, type, unit, help, samples };
}

/** No sample may be named as another family, or its samples, could be. */
function refuseClashes(families: readonly MetricFamily[]): void {
  const names = new Map<string, string>();
  for (const { name, type } of families) {
    for (const suffix of new Set(["", ...(SUFFIXES[type] ?? [])])) {
      const before = names.get(`${name}${suffix}`);
      if (before !== undefined) throw new Error(`${name} clashes with ${before}`);
      names.set(`${name}${suffix}`, name);
    }
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, found: string) => (found === "n" ? "\n" : found));
}

function valueOf(text: string): number {
  const word = text.toLowerCase().replace("infinity", "inf");
  if (word.endsWith("inf")) return word.startsWith("-") ? -Infinity : Infinity;
  return Number(text);
}
