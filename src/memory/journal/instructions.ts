// The instruction files that hold for a project, read to be compared with what a person says. Bounded, plain files only,
// never through a link that leads out; whatever cannot be read says nothing.
import { basename, dirname, join } from "node:path";
import { INSTRUCTION_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Files } from "../../system/files.ts";
import { isInside } from "../../system/paths.ts";
import { type InstructionFile, rulesOf } from "../gate/instructions.ts";

/** What the agent reads of a project by itself. */
const LOADED = ["CLAUDE.md", join(".claude", "CLAUDE.md"), "CLAUDE.local.md"];
/** Other agents' files; ours reads them where one of the above takes them in. */
const IMPORTED = ["AGENTS.md", "GEMINI.md"];

/** Of the project's root and the person's own. Empty for a project that is not on this machine. */
export function instructionsOf(
  files: Files,
  { root, agentHome }: Pick<ProjectRef, "root" | "agentHome">,
): readonly InstructionFile[] {
  const ground = realOf(files, root);
  if (ground === undefined) return [];
  const own = LOADED.flatMap((name) => textOf(files, { path: join(ground, name), within: ground }) ?? []);
  const others = IMPORTED.flatMap((name) => {
    const text = textOf(files, { path: join(ground, name), within: ground });
    const isLoaded = own.some((each) => imports(each.text, name));
    return text === undefined ? [] : [{ ...text, isLoaded }];
  });
  return [...own.map((text) => ({ ...text, isLoaded: true })), ...others, ...personal(files, agentHome)].map(
    ({ name, isLoaded, changedAt, text }) => ({ name, isLoaded, changedAt, rules: rulesOf(text) }),
  );
}

/** The person's file may be a link into a folder of dotfiles beside the agent's home. */
function personal(files: Files, agentHome: string | undefined) {
  const home = agentHome === undefined ? undefined : realOf(files, agentHome);
  if (home === undefined) return [];
  const text = textOf(files, { path: join(home, "CLAUDE.md"), within: dirname(home) });
  return text === undefined ? [] : [{ ...text, isLoaded: true }];
}

function imports(text: string, name: string): boolean {
  return new RegExp(String.raw`(?:^|\s)@(?:\./)?${name.replace(".", String.raw`\.`)}(?:\s|$)`, "u").test(
    text,
  );
}

interface Asked {
  readonly path: string;
  readonly within: string;
}

interface Read {
  readonly name: string;
  readonly changedAt: Instant;
  readonly text: string;
}

function textOf(files: Files, { path, within }: Asked): Read | undefined {
  const real = realOf(files, path);
  if (real === undefined || !isInside(real, within)) return undefined;
  try {
    const facts = files.look(real);
    if (facts?.kind !== "file" || facts.bytes > INSTRUCTION_LIMITS.bytesMax) return undefined;
    const content = files.read(real, INSTRUCTION_LIMITS.bytesMax);
    if (content === undefined) return undefined;
    return { name: basename(path), changedAt: facts.mtimeMs, text: content.toString("utf8") };
  } catch {
    // Not ours to complain about: it is not a memory, and the person's words are stored without it.
    return undefined;
  }
}

function realOf(files: Files, path: string): string | undefined {
  try {
    return files.real(path);
  } catch {
    // A loop of links, a folder nobody may look into.
    return undefined;
  }
}
