// `lint`: what is wrong in memory folders; `lint --fix`: mends what needs no judgement, through gate and journal like
// anything else. Without `--fix` nothing is written anywhere. Loaded with the first question.
import { messageOf } from "../../domain/errors.ts";
import { LINT_LIMITS } from "../../domain/limits.ts";
import type { LintReply, LintRequest, ProjectFinding } from "../../domain/lint.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import type { FolderFacts } from "../../memory/lint/facts.ts";
import { lintSteps } from "../../memory/lint/lint.ts";
import { createProjectProbe } from "../../memory/lint/project-probe.ts";
import { safeFixes } from "../../memory/lint/safe-fixes.ts";
import { createBreather } from "../../system/breather.ts";
import type { Files } from "../../system/files.ts";
import { newRunId } from "../../system/ids.ts";
import { foldersOf } from "./memories.ts";
import type { PersonDeps } from "./remember.ts";

export interface LintDeps extends PersonDeps {
  readonly files: Files;
  readonly writer: Pick<MemoryWriter, "folderFacts">;
}

/** One memory folder and the projects that keep their memory in it, the one that was named first. */
interface LintedFolder {
  readonly memoryDir: string;
  readonly projects: readonly [ProjectRef, ...ProjectRef[]];
}

/** Loaded with the first question. */
export interface LintAnswers {
  answerLint(request: LintRequest, deps: LintDeps): Promise<LintReply>;
  answerFix(request: LintRequest, deps: LintDeps): Promise<LintReply>;
}

export async function answerLint(request: LintRequest, deps: LintDeps): Promise<LintReply> {
  const findings: ProjectFinding[] = [];
  for (const folder of lintedFolders(request, deps)) findings.push(...(await findingsIn(folder, deps)));
  return { v: 1, findings };
}

/** What cannot be written now is told in `kept`, and keeps no other folder from being mended. */
export async function answerFix(request: LintRequest, deps: LintDeps): Promise<LintReply> {
  const findings: ProjectFinding[] = [];
  const fixed: ProjectFinding[] = [];
  const runs: string[] = [];
  const kept: { project: string; why: string }[] = [];
  for (const folder of lintedFolders(request, deps)) {
    const before = await findingsIn(folder, deps);
    const [{ root: project }] = folder.projects;
    try {
      runs.push(...(await mend(folder, deps)));
    } catch (error) {
      kept.push({ project, why: messageOf(error) });
    }
    const after = await findingsIn(folder, deps);
    const left = new Set(after.map(identity));
    findings.push(...after);
    fixed.push(...before.filter((finding) => finding.fixable && !left.has(identity(finding))));
  }
  return { v: 1, findings, fixed, runs, kept };
}

/** Lines move while others are removed. */
function identity({ code, file, message }: ProjectFinding): string {
  return JSON.stringify([code, file, message]);
}

function lintedFolders(request: LintRequest, deps: LintDeps): readonly LintedFolder[] {
  const named =
    request.project === undefined || request.all === true ? [] : [deps.projectAt(request.project)];
  const asked = foldersOf(request, deps);
  return asked.flatMap(({ memoryDir }): LintedFolder[] => {
    const known = deps.places.projectsAt(memoryDir);
    const [first, ...rest] = [...named, ...known.filter(({ id }) => id !== named[0]?.id)];
    return first === undefined ? [] : [{ memoryDir, projects: [first, ...rest] }];
  });
}

async function findingsIn(
  { memoryDir, projects }: LintedFolder,
  { files, clock, writer }: LintDeps,
): Promise<readonly ProjectFinding[]> {
  const facts = writer.folderFacts(memoryDir);
  if (facts === undefined) return [];
  const [{ root }, ...others] = projects;
  // Whose paths a memory of a shared folder names is not known.
  const probe = others.length > 0 ? undefined : createProjectProbe(files, root);
  const pause = createBreather(clock);
  const findings: ProjectFinding[] = [];
  for (const found of lintSteps({ ...facts, project: probe })) {
    findings.push(...found.map((finding) => ({ ...finding, project: root })));
    await pause();
  }
  return findings.slice(0, LINT_LIMITS.findingsMax);
}

/** Answers the runs that changed something. A shared folder has one for each project with a duplicate of its own. */
async function mend({ memoryDir, projects }: LintedFolder, deps: LintDeps): Promise<readonly string[]> {
  const isShared = projects.length > 1;
  const runs: string[] = [];
  for (const project of projects) {
    const run = newRunId(deps.clock.now());
    let changed = 0;
    for (; changed < LINT_LIMITS.setsMax; changed += 1) {
      const changes = fixesFor(deps.writer.folderFacts(memoryDir), isShared ? project.root : undefined);
      if (changes === undefined) break;
      const base = { run, kind: "lint", trigger: "person", producer: "upkeep", project, memoryDir } as const;
      const options = { evidenceTexts: new Map<string, string>(), sharedFolder: isShared, tidyIndex: true };
      const result = await deps.commit({ ...base, changes }, options);
      if (result.written.length === 0 && result.indexChanged !== true) break;
    }
    if (changed > 0) runs.push(run);
  }
  return runs;
}

/** Undefined: nothing is left to mend. */
function fixesFor(facts: FolderFacts | undefined, origin: string | undefined) {
  if (facts === undefined) return undefined;
  const { changes, index } = safeFixes(facts, (memory) => origin === undefined || memory.origin === origin);
  return changes.length === 0 && !index.changed ? undefined : changes;
}
