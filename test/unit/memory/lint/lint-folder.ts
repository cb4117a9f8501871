// A memory folder of real files, and a project beside it, as a check sees them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Finding } from "../../../../src/domain/lint.ts";
import { readFolder } from "../../../../src/memory/files/store.ts";
import type { LintFacts } from "../../../../src/memory/lint/facts.ts";
import { lintFolder } from "../../../../src/memory/lint/lint.ts";
import { createProjectProbe } from "../../../../src/memory/lint/project-probe.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { openFolder } from "../../../../src/system/folder.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

export type Texts = Readonly<Record<string, string>>;

export interface LintedOptions {
  /** Files of the project; absent: it is not on this machine. */
  readonly project?: Texts;
  readonly hidden?: readonly string[];
  readonly recordsOf?: ReadonlyMap<string, readonly string[]>;
}

export function writeAll(folder: string, texts: Texts): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

export function factsOf(texts: Texts, options: LintedOptions = {}): LintFacts {
  const temporary = createTempFolder();
  const files = createFiles();
  const [memoryDir, root] = [temporary.at("memory"), temporary.at("project")];
  writeAll(memoryDir, texts);
  if (options.project !== undefined) writeAll(root, options.project);
  const folder = openFolder(files, memoryDir);
  if (folder === undefined) throw new Error("the folder was just made");
  const view = readFolder(folder);
  folder.close();
  return {
    view,
    hidden: new Set(options.hidden ?? []),
    broughtBack: new Set(),
    recordsOf: options.recordsOf ?? new Map(),
    today: "2026-05-04",
    project: createProjectProbe(files, root),
  };
}

export function findings(texts: Texts, options: LintedOptions = {}): readonly Finding[] {
  return lintFolder(factsOf(texts, options));
}

/** `code file` or `code file:line`, sorted. */
export function brief(found: readonly Finding[]): string[] {
  return found.map(({ code, file, line }) => `${code} ${file}${line === null ? "" : `:${line}`}`).toSorted();
}

export interface TopicParts {
  readonly name?: string;
  readonly description?: string;
  readonly type?: string;
}

/** A sound topic file of a type that needs no reasons; its body begins in line 6. */
export function topic(
  body: string,
  { name = "a-fact", description, type = "reference" }: TopicParts = {},
): string {
  const about = description ?? `about ${name}`;
  return `---\nname: ${name}\ndescription: ${about}\ntype: ${type}\n---\n${body}\n`;
}

/** A folder of one memory with a line in the index. */
export function one(body: string): Texts {
  return { "fact.md": topic(body), "MEMORY.md": "- [Fact](fact.md) — about it\n" };
}
