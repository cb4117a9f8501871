// What needs no judgement: exact duplicates and the index. The same fixes that `lint --fix` makes, as part of a dream; what
// else is wrong is told and left alone.
import type { ChangeSet, MemoryChange } from "../../../domain/changes.ts";
import type { ConsolidationChange, ConsolidationNote } from "../../../domain/consolidation.ts";
import type { Finding } from "../../../domain/lint.ts";
import { displayText } from "../../../domain/printable.ts";
import { INDEX_FILE } from "../../../memory/files/file-name.ts";
import type { CommitOptions, CommitResult } from "../../../memory/journal/commit.ts";
import type { FolderFacts } from "../../../memory/lint/facts.ts";
import { lintFolder } from "../../../memory/lint/lint.ts";
import { createProjectProbe } from "../../../memory/lint/project-probe.ts";
import { safeFixes } from "../../../memory/lint/safe-fixes.ts";
import type { Files } from "../../../system/files.ts";
import type { DreamDeps, Tidied, TidyAsk, Tidying } from "./contract.ts";
import { changesTold, waitingFor } from "./report.ts";

/** Sets of one dream; each takes as many duplicates as a set may hold. */
const SETS_MAX = 20;
/** Findings that are told; more nobody reads. */
const NOTES_MAX = 100;

export interface TidyingDeps extends Pick<DreamDeps, "patchOf" | "rehearse"> {
  readonly files: Files;
  folderFacts(memoryDir: string): FolderFacts | undefined;
  commit(set: ChangeSet, options: Omit<CommitOptions, "today">): Promise<CommitResult>;
}

export function createTidying(deps: TidyingDeps): Tidying {
  return {
    doubles(memoryDir) {
      const facts = deps.folderFacts(memoryDir);
      return new Set(facts === undefined ? [] : safeFixes(facts).changes.map(({ file }) => file));
    },
    run: async (ask) => (ask.dryRun ? rehearsed(ask, deps) : tidied(ask, deps)),
  };
}

async function tidied(ask: TidyAsk, deps: TidyingDeps): Promise<Tidied> {
  const changes: ConsolidationChange[] = [];
  const waits: ConsolidationNote[] = [];
  let isIndexChanged = false;
  for (let sets = 0; sets < SETS_MAX; sets += 1) {
    const facts = deps.folderFacts(ask.memoryDir);
    if (facts === undefined) break;
    const wanted = safeFixes(facts).changes;
    const result = await deps.commit(setOf(ask, wanted), { ...optionsOf(ask), tidyIndex: true });
    waits.push(...waitingFor(result));
    isIndexChanged ||= result.indexChanged === true;
    const files = new Set(result.written.map(({ file }) => file));
    changes.push(...changesTold(wanted.filter(({ file }) => files.has(file))));
    // Nothing more to do, or the gate lets no more of them go today.
    if (files.size === 0) break;
  }
  return {
    changes: [...changes, ...(isIndexChanged ? [INDEX_CHANGE] : [])],
    noted: [...waits.slice(0, NOTES_MAX), ...notesOf(ask, deps)],
    diff: "",
  };
}

function optionsOf({ sharedFolder }: TidyAsk): Omit<CommitOptions, "today"> {
  return { evidenceTexts: new Map(), sharedFolder };
}

const INDEX_CHANGE: ConsolidationChange = {
  op: "index",
  file: INDEX_FILE,
  why: "lines without a file, files without a line, long lines, its limits",
};

function setOf({ run, trigger, project, memoryDir }: TidyAsk, changes: readonly MemoryChange[]): ChangeSet {
  return { run, kind: "dream", trigger, project, memoryDir, producer: "upkeep", changes };
}

async function rehearsed(ask: TidyAsk, deps: TidyingDeps): Promise<Tidied> {
  const facts = deps.folderFacts(ask.memoryDir);
  if (facts === undefined) return { changes: [], noted: [], diff: "" };
  const { changes, index } = safeFixes(facts);
  const { files } = await deps.rehearse(setOf(ask, changes), optionsOf(ask));
  const goes = new Set(files.map(({ file }) => file));
  let diff = "";
  for (const { file, before = "", after = "" } of files)
    diff += (await deps.patchOf(file, before, after)) ?? "";
  const isChanged = index.changed && index.text !== undefined;
  if (isChanged)
    diff += (await deps.patchOf(INDEX_FILE, facts.view.index.text ?? "", index.text ?? "")) ?? "";
  return {
    changes: [
      ...changesTold(changes.filter(({ file }) => goes.has(file))),
      ...(isChanged ? [INDEX_CHANGE] : []),
    ],
    noted: notesOf(ask, deps, ({ file, fixable }) => !fixable && !goes.has(file)),
    diff,
  };
}

/** What is left for a person, or for a model; `isLeft` where nothing was mended yet. */
function notesOf(
  { memoryDir, project }: TidyAsk,
  deps: TidyingDeps,
  isLeft: (finding: Finding) => boolean = () => true,
): readonly ConsolidationNote[] {
  const facts = deps.folderFacts(memoryDir);
  if (facts === undefined) return [];
  const probe = project.present ? createProjectProbe(deps.files, project.root) : undefined;
  return lintFolder({ ...facts, project: probe })
    .filter(isLeft)
    .slice(0, NOTES_MAX)
    .map(({ code, file, message }) => ({ code, file: displayText(file), message }));
}
