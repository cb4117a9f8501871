// Records every event of an emitter, so that a test can wait for one without sleeping and without a race.
import type { EventMap, EventName } from "../../src/domain/events.ts";
import type { Emitter } from "../../src/system/emitter.ts";

export interface SeenEvent<N extends EventName = EventName> {
  readonly name: N;
  readonly payload: EventMap[N];
}

export interface WaitOptions<N extends EventName> {
  /** Only payloads this accepts count. */
  readonly where?: (payload: EventMap[N]) => boolean;
  /** How many matching events must have been seen; default 1. */
  readonly count?: number;
  /** Real time until the wait fails; default 30 s, for what comes at once on a machine with nothing else to do. */
  readonly withinMs?: number;
}

export interface EventSpy {
  /** Resolves with the `count`-th matching payload, also when it is already past. Rejects with what was seen. */
  waitFor<N extends EventName>(name: N, options?: WaitOptions<N>): Promise<EventMap[N]>;
  /** Payloads of one name so far, in order. */
  seen<N extends EventName>(name: N): EventMap[N][];
  /** Names of all events so far, in order. */
  names(): EventName[];
  /** Forgets the past: the next wait starts now. */
  clear(): void;
  stop(): void;
}

const DEFAULT_WAIT_MS = 30_000;
/** Names shown in a failure message. */
const SHOWN_MAX = 30;

export function createEventSpy(emitter: Emitter): EventSpy {
  const past: SeenEvent[] = [];
  const waiting = new Set<() => void>();
  const stop = emitter.onAny((name, payload) => {
    past.push({ name, payload });
    for (const check of waiting) check();
  });

  function seen<N extends EventName>(name: N): EventMap[N][] {
    return past.filter((event): event is SeenEvent<N> => event.name === name).map((event) => event.payload);
  }

  return {
    seen,
    names: () => past.map((event) => event.name),
    clear: () => void past.splice(0),
    stop,
    waitFor(name, options = {}) {
      const { where = () => true, count = 1, withinMs = DEFAULT_WAIT_MS } = options;
      return new Promise((resolve, reject) => {
        const check = () => {
          const match = seen(name).filter(where)[count - 1];
          if (match === undefined) return;
          finish();
          resolve(match);
        };
        const timer = setTimeout(() => {
          finish();
          reject(
            new Error(
              describeMiss({ name, count, withinMs, matched: seen(name).filter(where).length, past }),
            ),
          );
        }, withinMs);
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      });
    },
  };
}

interface Miss {
  readonly name: string;
  readonly count: number;
  readonly withinMs: number;
  readonly matched: number;
  readonly past: readonly SeenEvent[];
}

function describeMiss({ name, count, withinMs, matched, past }: Miss): string {
  const shown = past
    .slice(-SHOWN_MAX)
    .map((event) => `  ${event.name} ${JSON.stringify(event.payload).slice(0, 200)}`);
  return [
    `waited ${withinMs} ms for ${count} x "${name}", saw ${matched} that match; last of ${past.length} events:`,
    ...shown,
  ].join("\n");
}
