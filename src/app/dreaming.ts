// The dream put together: its gates over the real parts, and its job, loaded with the first one.
import { join } from "node:path";
import type { DreamSettings } from "../learn/jobs/consolidate/gates.ts";
import { dreamGate } from "../learn/jobs/consolidate/gates.ts";
import type { GateMarks, GateState } from "../learn/jobs/consolidate/gate-state.ts";
import { countSessions, hasOpenTurn, lastActivityAt } from "../learn/jobs/consolidate/sessions.ts";
import type { ConsolidationJob, Holds } from "../learn/jobs/consolidating.ts";
import type { ProjectRef } from "../domain/sessions.ts";
import type { Catalog } from "../intake/watch/catalog.ts";
import type { Places } from "../intake/projects/places.ts";
import { INDEX_FILE } from "../memory/files/file-name.ts";
import type { Pause } from "../serve/answers/pause.ts";
import type { Clock } from "../system/clock.ts";
import type { Files } from "../system/files.ts";
import type { WakeWatch } from "../system/wake.ts";
import type { GateAsk, KindParts } from "./consolidating.ts";
import { isWorldsFault } from "./consolidating.ts";

export interface DreamingDeps {
  readonly clock: Clock;
  readonly catalog: Pick<Catalog, "entriesOf">;
  readonly places: Pick<Places, "known" | "placeOf">;
  readonly files: Pick<Files, "look">;
  readonly pause: Pick<Pause, "current">;
  readonly holds: Pick<Holds, "lastSuccessAt">;
  readonly marks: GateState;
  readonly wake: Pick<WakeWatch, "settlesUntil" | "isFresh">;
  settings(): DreamSettings;
  folderIdOf(memoryDir: string): string;
  /** What is said there goes into daily logs. */
  isLogMode(memoryDir: string): boolean;
  loadJob(): Promise<ConsolidationJob>;
}

export function createDreaming(deps: DreamingDeps): KindParts {
  const { clock, marks, wake } = deps;
  let job: Promise<ConsolidationJob> | undefined;
  return {
    prepare: async () => undefined,
    folders: () => foldersWithMemories(deps),
    gate: (memoryDir, projects, ask) => gateOf({ memoryDir, projects, ask }, deps),
    job: () => (job ??= deps.loadJob()),
    ended(memoryDir, end) {
      const folderId = deps.folderIdOf(memoryDir);
      if ("error" in end) marks.failed(folderId, { counts: !isWorldsFault(end.error, wake.isFresh()) });
      else if (end.reply.outcome === "succeeded") marks.succeeded(folderId);
      else if (end.reply.outcome === "failed") marks.failed(folderId);
    },
    allDone: () => undefined,
  };

  function gateOf(
    { memoryDir, projects, ask }: { memoryDir: string; projects: readonly ProjectRef[]; ask: GateAsk },
    { catalog, places, pause, holds }: DreamingDeps,
  ) {
    const folderId = deps.folderIdOf(memoryDir);
    const found = projects.map((project) => places.placeOf(project));
    const entries = () => projects.flatMap(({ id }) => catalog.entriesOf(id));
    const paused = pause.current();
    const until = paused?.until ?? null;
    return dreamGate(
      {
        memoryOff: found.every(({ off }) => off !== undefined),
        hostDreamOff: found.some(({ isDreamOff }) => isDreamOff),
        dailyLogMode: deps.isLogMode(memoryDir),
        paused: paused === undefined ? undefined : { until: until === null ? undefined : Date.parse(until) },
        parked: found.some(({ parked }) => parked !== undefined),
        marks: marksFor(marks.marksOf(folderId), ask),
        wokeUntil: ask === "person" ? undefined : wake.settlesUntil(),
        lastSuccessAt: () => holds.lastSuccessAt(memoryDir),
        sessionsSince(at) {
          if (ask === "granted") return Infinity;
          marks.scanned(folderId);
          return countSessions(entries(), at);
        },
        // Whoever asks may well be working at that moment.
        hasOpenTurn: () => ask !== "person" && hasOpenTurn(entries(), clock.now()),
        lastActivityAt: () => (ask === "person" ? undefined : lastActivityAt(entries())),
      },
      deps.settings(),
      clock.now(),
    );
  }
}

/** A person waits for no back-off; what was counted a moment ago is not counted again. */
function marksFor(marks: GateMarks, ask: GateAsk): GateMarks {
  const { scannedAt: _, notBefore: __, ...rest } = marks;
  if (ask === "person") return { ...rest, startAt: 0 };
  const { scannedAt: ___, ...counted } = marks;
  return ask === "granted" ? counted : marks;
}

/** Without memories there is nothing to rework. Only looks for an index: reading thousands of folders takes seconds. */
function foldersWithMemories({ places, files }: DreamingDeps): readonly string[] {
  const folders = new Set(places.known().map((project) => places.placeOf(project).memoryDir));
  return [...folders].filter((memoryDir) => files.look(join(memoryDir, INDEX_FILE))?.kind === "file");
}
