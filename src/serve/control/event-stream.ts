// Server-Sent Events: keeps the last events, hands them to the clients that listen, and lets go of those that are
// dead or too slow. Costs nothing while nobody listens but the ring; never waits for a client.
import { AppError } from "../../domain/errors.ts";
import type { DaemonState } from "../../domain/status.ts";
import { displayJson } from "../../domain/printable.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { Told } from "./events.ts";
import { toldOf } from "./events.ts";

/** What is needed of a response. */
export interface Listener {
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
  once(event: "close", fn: () => void): unknown;
  /** Bytes it has not taken yet. */
  readonly writableLength: number;
}

export interface EventStream {
  /** Throws `too-many-listeners` (retry). `lastId`: what the client says it has seen. */
  follow(listener: Listener, lastId: string | undefined): void;
  /** Says goodbye to everybody. No one may follow afterwards. */
  close(): void;
}

export interface EventStreamDeps {
  readonly clock: Clock;
  readonly emitter: Emitter;
  state(): DaemonState;
}

export const EVENT_LIMITS = {
  /** Of the clients of the socket; the rest stay free for questions. */
  listenersMax: 16,
  /** Kept for a client that was away for a moment. */
  keptMax: 256,
  /** Not taken by a client; an event has some hundred bytes. */
  waitingBytesMax: 65_536,
  /** Idle connections are commonly cut after 30 to 60 s. */
  beatMs: 15_000,
  /** A state is told when it lasted this long. */
  stateMs: 250,
} as const;

interface State extends EventStreamDeps {
  /** Distinguishes this daemon's ids from those of the one before. */
  readonly boot: string;
  readonly kept: { readonly number: number; readonly text: string }[];
  /** Those that have not taken everything since the last beat. */
  readonly listeners: Map<Listener, "quick" | "slow">;
  number: number;
  told: DaemonState | undefined;
  beat: Timer | undefined;
  look: Timer | undefined;
  isClosed: boolean;
}

export function createEventStream(deps: EventStreamDeps): EventStream {
  const state: State = {
    ...deps,
    boot: deps.clock.now().toString(36),
    kept: [],
    listeners: new Map(),
    number: 0,
    told: undefined,
    beat: undefined,
    look: undefined,
    isClosed: false,
  };
  const stopListening = deps.emitter.onAny((name, payload) => {
    const told = toldOf(name, payload);
    if (told !== undefined) keep(state, told);
    lookSoon(state);
  });
  return {
    follow: (listener, lastId) => follow(state, { listener, lastId }),
    close() {
      stopListening();
      state.isClosed = true;
      if (state.listeners.size > 0) tellState(state);
      for (const listener of state.listeners.keys()) listener.end();
      state.listeners.clear();
      rest(state);
    },
  };
}

interface Following {
  readonly listener: Listener;
  readonly lastId: string | undefined;
}

function follow(state: State, { listener, lastId }: Following): void {
  if (state.isClosed || state.listeners.size >= EVENT_LIMITS.listenersMax) throw tooMany();
  if (state.listeners.size === 0) state.told = state.state();
  state.listeners.set(listener, "quick");
  listener.once("close", () => drop(state, listener));
  listener.write(eventText({ name: "state", data: { state: state.told } }));
  for (const text of missedBy(state, lastId)) listener.write(text);
  state.beat ??= state.clock.setTimer(EVENT_LIMITS.beatMs, () => beat(state));
}

/** What happened since an id; a client that gives none has seen nothing and wants nothing old. */
function missedBy({ boot, kept, number }: State, lastId: string | undefined): string[] {
  if (lastId === undefined || lastId === "") return [];
  const [, theirBoot, digits] = /^([\da-z]{1,12})\.(\d{1,15})$/.exec(lastId) ?? [];
  const last = Number(digits);
  const oldest = kept[0]?.number ?? number + 1;
  const isKnown = theirBoot === boot && last >= oldest - 1 && last <= number;
  if (!isKnown) return [eventText({ name: "missed", data: {} }), ...kept.map(({ text }) => text)];
  return kept.filter((event) => event.number > last).map(({ text }) => text);
}

function keep(state: State, told: Told): void {
  state.number += 1;
  const text = `id: ${state.boot}.${state.number}\n${eventText(told)}`;
  state.kept.push({ number: state.number, text });
  if (state.kept.length > EVENT_LIMITS.keptMax) state.kept.shift();
  tell(state, text);
}

/** A name of ours, and JSON, which has no line break: nothing in the data can look like a field of the stream. */
function eventText({ name, data }: Told): string {
  return `event: ${name}\ndata: ${displayJson(data)}\n\n`;
}

function tell(state: State, text: string): void {
  for (const listener of state.listeners.keys()) {
    listener.write(text);
    if (listener.writableLength > EVENT_LIMITS.waitingBytesMax) letGo(state, listener);
  }
}

/** A comment line: whoever is gone is noticed by it, and whoever reads sees that we are there. */
function beat(state: State): void {
  for (const [listener, pace] of state.listeners) {
    const isBehind = listener.writableLength > 0;
    if (isBehind && pace === "slow") letGo(state, listener);
    else state.listeners.set(listener, isBehind ? "slow" : "quick");
  }
  tell(state, ": alive\n\n");
  lookSoon(state);
  state.beat = state.clock.setTimer(EVENT_LIMITS.beatMs, () => beat(state));
  if (state.listeners.size === 0) rest(state);
}

/** The state has no event of its own: it is looked at when something happened, and somebody wants to know. */
function lookSoon(state: State): void {
  if (state.listeners.size === 0 || state.isClosed) return;
  state.look ??= state.clock.setTimer(EVENT_LIMITS.stateMs, () => {
    state.look = undefined;
    tellState(state);
  });
}

function tellState(state: State): void {
  const now = state.state();
  if (now === state.told) return;
  state.told = now;
  tell(state, eventText({ name: "state", data: { state: now } }));
}

function letGo(state: State, listener: Listener): void {
  drop(state, listener);
  listener.destroy();
}

function drop(state: State, listener: Listener): void {
  if (state.listeners.delete(listener) && state.listeners.size === 0) rest(state);
}

function rest(state: State): void {
  state.beat?.cancel();
  state.look?.cancel();
  state.beat = undefined;
  state.look = undefined;
}

function tooMany(): AppError {
  return new AppError({
    code: "too-many-listeners",
    message: "as many clients listen to events as are allowed",
    fix: "end one of them",
    disposition: "retry",
  });
}
