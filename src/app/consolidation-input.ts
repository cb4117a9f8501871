// The parts of engramd that dreams and distillations work on. Types only.
import type { Catalog } from "../intake/watch/catalog.ts";
import type { Places } from "../intake/projects/places.ts";
import type { Queue } from "../intake/queue/queue.ts";
import type { IgnoredSessions } from "../intake/transcripts/ignored.ts";
import type { Holds } from "../learn/jobs/consolidating.ts";
import type { RunningRuns } from "../learn/jobs/running.ts";
import type { Waiting } from "../learn/jobs/waiting.ts";
import type { Budget } from "../learn/models/budget.ts";
import type { MemoryWriter } from "../memory/journal/commit.ts";
import type { Book } from "../serve/answers/book.ts";
import type { FolderViews } from "../serve/answers/folder-view.ts";
import type { Pause } from "../serve/answers/pause.ts";
import type { LogMode } from "./log-mode.ts";
import type { Reading } from "./reading.ts";

export interface ConsolidationInput {
  readonly places: Places;
  readonly catalog: Catalog;
  readonly writer: MemoryWriter;
  readonly reading: Pick<Reading, "modelFor">;
  readonly waiting: Pick<Waiting, "commit" | "preview" | "keepForReview">;
  readonly budget: Pick<Budget, "open">;
  readonly book: Pick<Book, "during" | "consolidated">;
  readonly ignored: Pick<IgnoredSessions, "has">;
  readonly views: FolderViews;
  readonly running: RunningRuns;
  readonly pause: Pick<Pause, "current">;
  readonly logMode: LogMode;
  queue(): Queue;
}

/** The same for a job, which takes the folder it works on. */
export interface HeldInput extends ConsolidationInput {
  readonly holds: Holds;
}
