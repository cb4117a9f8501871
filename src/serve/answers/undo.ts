// `undo RUN` and `undo --all`: puts back what runs did, in every memory folder they touched. The journal does it; here
// runs are found, and what came of it is told.
import { AppError, EXIT } from "../../domain/errors.ts";
import type { UndoReply, UndoRequest } from "../../domain/history.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { EDIT_KIND } from "../../memory/journal/entries.ts";
import type { MemoryWriter } from "../../memory/journal/commit.ts";
import { memoryDirs } from "./history.ts";
import { type DiffDeps, NOT_KEPT, runInLedger, unknownRun } from "./run-diff.ts";

export interface UndoDeps extends Omit<DiffDeps, "writer"> {
  readonly writer: Pick<MemoryWriter, "trail" | "undo">;
  projectAt(path: string): ProjectRef;
}

type Found = Awaited<ReturnType<MemoryWriter["undo"]>> & { readonly memoryDir: string };

/** Throws `unknown-run`, `not-undoable` for what was done by hand, and `bad-undo` for neither one run nor all. */
export async function answerUndo(request: UndoRequest, deps: UndoDeps): Promise<UndoReply> {
  const { force = false, dryRun = false } = request;
  const found: Found[] = [];
  const lost = lostFiles(request, deps);
  if (lost.length > 0)
    return { ...replyOf([], dryRun), refused: lost, message: `nothing to put back: ${NOT_KEPT}` };
  for (const { memoryDir, what } of targetsOf(request, deps)) {
    found.push({ memoryDir, ...(await deps.writer.undo({ memoryDir, what, force, dryRun })) });
  }
  return replyOf(found, dryRun);
}

/** Files of a run that the ledger knows and the history does not any more. */
function lostFiles({ run, all }: UndoRequest, deps: UndoDeps): UndoReply["refused"] {
  if (run === undefined || all === true) return [];
  const isKept = memoryDirs(deps.places).some((dir) => deps.writer.trail(dir).entriesOf(run).length > 0);
  const files = isKept ? [] : (runInLedger(run, deps)?.files ?? []);
  return files.map((file) => ({ file, why: NOT_KEPT, forcible: false }));
}

interface Target {
  readonly memoryDir: string;
  readonly what: { readonly run: string } | { readonly project: string };
}

function targetsOf({ run, all, project: path }: UndoRequest, deps: UndoDeps): Target[] {
  if (all === true && path !== undefined && run === undefined) {
    const project = deps.projectAt(path);
    return memoryDirs(deps.places, project).map((memoryDir) => ({
      memoryDir,
      what: { project: project.id },
    }));
  }
  if (run === undefined || all === true) throw unclear();
  const found = memoryDirs(deps.places).flatMap((memoryDir) => {
    const entries = deps.writer.trail(memoryDir).entriesOf(run);
    return entries.length === 0 ? [] : [{ memoryDir, entries }];
  });
  if (found.length === 0 && runInLedger(run, deps) === undefined) throw unknownRun(run);
  if (found.some(({ entries }) => entries.some(({ kind }) => kind === EDIT_KIND))) throw byHand(run);
  return found.map(({ memoryDir }) => ({ memoryDir, what: { run } }));
}

function unclear(): AppError {
  return new AppError({
    code: "bad-undo",
    message: "it does not say what to undo",
    fix: "name a run, or a project and all",
    exitCode: EXIT.usage,
  });
}

function byHand(run: string): AppError {
  return new AppError({
    code: "not-undoable",
    message: `${run} was done by hand, not by engramd`,
    fix: `see what it changed: engramd diff ${run}`,
    exitCode: EXIT.failed,
  });
}

function replyOf(found: readonly Found[], dryRun: boolean): UndoReply {
  const changes = found.flatMap(({ memoryDir, restored }) =>
    restored.map(({ file, what }) => ({ file, memoryDir, what })),
  );
  const refused = found.flatMap((each) => each.refused);
  const outcome = changes.length === 0 ? "nothing" : dryRun ? "planned" : "undone";
  const kept = keptWords(refused);
  const files = changes.length === 1 ? "1 file" : `${changes.length} files`;
  const message = {
    undone: `put back ${files}${kept}`,
    planned: `would put back ${files}${kept}; nothing was changed`,
    nothing: `nothing to put back${kept}`,
  }[outcome];
  return {
    v: 1,
    outcome,
    undo: found.flatMap(({ run }) => run ?? []),
    runs: [...new Set(found.flatMap(({ runs }) => runs))],
    restored: changes.map(({ file }) => file),
    changes,
    refused,
    message,
  };
}

/** How many stay, and whether that is somebody's later words or nobody can put them back. */
function keptWords(refused: UndoReply["refused"]): string {
  const later = refused.filter(({ forcible }) => forcible).length;
  const never = refused.length - later;
  return [
    later === 0 ? "" : `, ${later} kept because of later edits`,
    never === 0 ? "" : `, ${never} that cannot be put back`,
  ].join("");
}
