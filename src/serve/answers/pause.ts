// `pause`, `resume`: whether engramd observes at all. Keeps it in `control.json`, so that a restart does not end a
// pause; stops nothing by itself, but waits for whoever observes.
import { isFields, parseJson } from "../../domain/json.ts";
import type { PauseReply, PauseRequest } from "../../domain/service.ts";
import type { Paused } from "../../domain/status.ts";
import type { Clock } from "../../system/clock.ts";
import type { Files } from "../../system/files.ts";
import type { Log } from "../../system/log.ts";

export interface Pause {
  /** Undefined when engramd is to observe: never paused, resumed, or the time is over. */
  current(): Paused | undefined;
  /** A pause that goes on gets the new end. Resolves when nothing is observed any more. */
  begin(forMs: number | undefined): Promise<Paused>;
  /** False when there was none. */
  end(): Promise<boolean>;
  /** Told of every change; `begin` and `end` wait for it. Until the returned function is called. */
  listen(follow: () => Promise<void>): () => void;
}

export interface PauseDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** `control.json` */
  readonly path: string;
}

const CONTROL_BYTES_MAX = 65_536;

export function createPause(deps: PauseDeps): Pause {
  const { clock } = deps;
  const listeners = new Set<() => Promise<void>>();
  /** Read once: the instance lock keeps every other writer away. */
  let known: { readonly paused: Paused | undefined } | undefined;

  function current(): Paused | undefined {
    const { paused } = (known ??= { paused: load(deps) });
    const isOver = paused !== undefined && paused.until !== null && Date.parse(paused.until) <= clock.now();
    return isOver ? undefined : paused;
  }

  async function change(paused: Paused | undefined): Promise<void> {
    save(deps, paused);
    known = { paused };
    await Promise.all([...listeners].map((follow) => follow()));
  }

  return {
    current,
    async begin(forMs) {
      const now = clock.now();
      const since = current()?.since ?? iso(now);
      const paused = { since, until: forMs === undefined ? null : iso(now + forMs) };
      await change(paused);
      return paused;
    },
    async end() {
      const wasPaused = current() !== undefined;
      await change(undefined);
      return wasPaused;
    },
    listen(follow) {
      listeners.add(follow);
      return () => void listeners.delete(follow);
    },
  };
}

interface AnswerDeps {
  readonly pause: Pause;
  /** Whether a daemon does what it is told here. */
  readonly running: boolean;
}

export async function answerPause(
  { forMs }: PauseRequest,
  { pause, running }: AnswerDeps,
): Promise<PauseReply> {
  return { v: 1, outcome: "paused", ...(await pause.begin(forMs)), running };
}

export async function answerResume({ pause, running }: AnswerDeps): Promise<PauseReply> {
  const outcome = (await pause.end()) ? "resumed" : "not-paused";
  return { v: 1, outcome, since: null, until: null, running };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Damaged means not paused: a person who wonders why nothing is learnt sees no pause to end. */
function load({ files, path, log }: PauseDeps): Paused | undefined {
  try {
    const content = files.read(path, CONTROL_BYTES_MAX);
    return content === undefined ? undefined : parseControl(parseJson(content.toString("utf8")));
  } catch {
    log.warn("control.json cannot be used: not paused", {});
    return undefined;
  }
}

function save({ files, path }: PauseDeps, paused: Paused | undefined): void {
  const document = paused === undefined ? { v: 1 } : { v: 1, paused };
  files.replace(path, `${JSON.stringify(document)}\n`);
}

/** Throws for what no version of ours wrote. */
function parseControl(document: unknown): Paused | undefined {
  if (!isFields(document) || document["v"] !== 1) throw new TypeError("no control document");
  const { paused } = document;
  if (paused === undefined) return undefined;
  if (!isFields(paused)) throw new TypeError("paused is no object");
  const { since, until } = paused;
  if (!isInstant(since) || (until !== null && !isInstant(until))) throw new TypeError("no time of a pause");
  return { since, until };
}

function isInstant(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
