// `dream` and `distill`: a person asks for one now. Says why not where nothing may be written.
import { isCalendarDate } from "../../domain/calendar.ts";
import type {
  ConsolidationKind,
  ConsolidationReply,
  DistillRequest,
  DreamRequest,
  GateReason,
} from "../../domain/consolidation.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import type { Off, Places } from "../../intake/projects/places.ts";
import type { FolderViews } from "./folder-view.ts";
import type { Pause } from "./pause.ts";

export interface ConsolidationDeps {
  readonly places: Places;
  readonly pause: Pause;
  readonly views: FolderViews;
  readonly consolidate: (
    wish: Omit<DreamRequest & DistillRequest, "project"> & {
      readonly kind: ConsolidationKind;
      readonly memoryDir: string;
    },
  ) => Promise<ConsolidationReply>;
  projectAt(path: string): ProjectRef;
}

export async function answerConsolidation(
  kind: ConsolidationKind,
  { project, ...wish }: DreamRequest & DistillRequest,
  deps: ConsolidationDeps,
): Promise<ConsolidationReply> {
  if (wish.date !== undefined && !isCalendarDate(wish.date)) throw noDate(wish.date);
  const { memoryDir, off, parked, isDreamOff } = deps.places.placeOf(deps.projectAt(project));
  // Not a question of when: the agent's own switch holds for our dreams, whoever asks and however.
  const switched = kind === "dream" && isDreamOff ? "switched-off" : undefined;
  const paused = deps.pause.current();
  const why: GateReason | Off | undefined =
    paused !== undefined ? "paused" : (off ?? switched ?? (parked === undefined ? undefined : "parked"));
  if (why === undefined) return deps.consolidate({ ...wish, kind, memoryDir });
  const size = sizeIn(deps.views, memoryDir);
  const until = paused?.until ?? null;
  const due = until === null ? {} : { dueAt: until };
  return {
    v: 1,
    outcome: "skipped",
    reason: why,
    run: null,
    changes: [],
    noted: [],
    before: size,
    after: size,
    ...due,
  };
}

function noDate(date: string): AppError {
  return new AppError({
    code: "bad-option-value",
    message: `the date is ${JSON.stringify(date)}`,
    fix: "give the local date of a log as YYYY-MM-DD",
    exitCode: EXIT.usage,
  });
}

/** How large a memory folder is now. */
export function sizeIn(views: Pick<FolderViews, "summary">, memoryDir: string): ConsolidationReply["before"] {
  const { memories, index } = views.summary(memoryDir);
  return { files: memories, indexLines: index.lines };
}
