// The one retry clock of a provider, shared by every job of the daemon: whether it may be asked, why not, since when and
// until when. Sends nothing by itself, holds no key, and never lets two requests through to try a closed provider.
import { inputTokensOf, type ModelClient, type ModelRequest, type ModelTurn } from "../../domain/models.ts";
import { JOB_LIMITS, MODEL_LIMITS } from "../../domain/limits.ts";
import type { Instant } from "../../domain/records.ts";
import type { Clock, Timer } from "../../system/clock.ts";
import { randomSuffix, shortHash } from "../../system/ids.ts";
import { closesAt, fixOf, isFailureCode, isMended, ModelFailure, modelFailure } from "./failure.ts";
import type { GateFileDeps, KeptClosing } from "./gate-file.ts";
import { loadGate, saveGate, TARGETS_MAX } from "./gate-file.ts";
import type { FoundKey, KeySource } from "./key.ts";
import { limitToldBy } from "./limit-notice.ts";

/** What a job does that meets a closed provider: it comes back then. */
export interface Held {
  readonly until: Instant;
  /** The code of the failure that closed it. */
  readonly reason: string;
}

/** A closed provider, for a person. */
export interface Closing {
  /** Provider and host. */
  readonly target: string;
  readonly code: string;
  /** Names the host, and the source of the key where the key is the trouble. */
  readonly message: string;
  readonly since: Instant;
  /** When one request is let through. */
  readonly until: Instant;
  /** Undefined where nothing is to be done. */
  readonly fix: string | undefined;
}

/** One provider at one address, and where its key is. */
export interface GateTarget {
  /** Provider and host. */
  readonly name: string;
  /** Where the settings say that the key is; undefined: it has none. */
  readonly keyPlace: FoundKey["from"] | undefined;
  readonly keys: KeySource;
}

export interface ProviderGate {
  /** The client that `make` builds, behind the gate; it has to read the key from the source it is given. */
  guard(target: GateTarget, make: (keys: KeySource) => ModelClient): ModelClient;
  /** Undefined: it may be asked. */
  held(target: string): Held | undefined;
  closed(): readonly Closing[];
  /** Somebody asks, or may have mended something: the next request is let through at once. */
  recheck(): void;
  /** Looks after no key any more. */
  stop(): void;
}

export interface ProviderGateDeps extends GateFileDeps {
  readonly clock: Clock;
  /** A number from 0 up to 1; spreads the tries of many machines. */
  readonly jitter: () => number;
  /** The key is another one: whatever waits may run. */
  readonly onMended: () => void;
}

/** Failures in a row that close a provider where one of them may be the request's own fault. */
const DOUBTS_MAX = 3;
/** How often a key file is looked at while its key is refused. */
const KEY_LOOK_MS = 5_000;
const JITTER_SHARE = 0.25;

interface Shut extends Omit<KeptClosing, "until"> {
  /** On the monotonic clock: a wall clock that jumps changes no wait of this process. */
  readonly dueMs: number;
}

interface State extends ProviderGateDeps {
  salt: string | undefined;
  readonly shut: Map<string, Shut>;
  /** The request that tries a closed provider; settles when it is over. */
  readonly probes: Map<string, Promise<void>>;
  readonly doubts: Map<string, number>;
  /** The key each target was last asked with. */
  readonly lastKeys: Map<string, Pick<KeptClosing, "key" | "keyFrom">>;
  readonly looks: Map<string, Timer>;
  readonly targets: Map<string, GateTarget>;
}

export function createProviderGate(deps: ProviderGateDeps): ProviderGate {
  const { clock } = deps;
  const { salt, closed } = loadGate(deps, clock.now());
  const offsetMs = clock.monotonicMs() - clock.now();
  const state: State = {
    ...deps,
    salt,
    shut: new Map(closed.map(({ until, ...row }) => [row.target, { ...row, dueMs: until + offsetMs }])),
    probes: new Map(),
    doubts: new Map(),
    lastKeys: new Map(),
    looks: new Map(),
    targets: new Map(),
  };
  return {
    guard: (target, make) => guard(state, target, make),
    held: (target) => heldNow(state, target),
    closed: () => rowsOf(state).map(({ code, ...row }) => ({ ...wordsOf({ ...row, code }), code })),
    recheck() {
      for (const shut of state.shut.values()) letThrough(state, shut);
    },
    stop() {
      for (const look of state.looks.values()) look.cancel();
      state.looks.clear();
    },
  };
}

function guard(state: State, target: GateTarget, make: (keys: KeySource) => ModelClient): ModelClient {
  const { name } = target;
  state.targets.set(name, target);
  const client = make(noted(state, target));
  // What closed it may be mended since: in a file, a command or the variable of another start.
  lookAtKey(state, name, 0);
  return {
    provider: client.provider,
    complete: (request, signal) => ask(state, { name, client, request, signal }),
  };
}

interface Ask {
  readonly name: string;
  readonly client: ModelClient;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

/** Through an open gate at once; at a closed one the first request that is due tries it, and others wait for its end. */
async function ask(state: State, asked: Ask): Promise<ModelTurn> {
  const { name, signal } = asked;
  for (;;) {
    signal.throwIfAborted();
    const shut = state.shut.get(name);
    if (shut === undefined) return send(state, asked);
    const probe = state.probes.get(name);
    if (probe === undefined) {
      if (dueInMs(state, shut) > 0) throw waiting(state, shut, false);
      return probeBy(state, asked);
    }
    await settledOrAborted(probe, signal);
  }
}

async function probeBy(state: State, asked: Ask): Promise<ModelTurn> {
  const turn = send(state, asked);
  const probe = turn.then(
    () => undefined,
    () => undefined,
  );
  state.probes.set(asked.name, probe);
  try {
    return await turn;
  } finally {
    state.probes.delete(asked.name);
  }
}

async function send(state: State, { name, client, request, signal }: Ask): Promise<ModelTurn> {
  const wasShut = state.shut.has(name);
  try {
    const turn = await client.complete(request, signal);
    const { clock } = state;
    const until = limitToldBy(turn, clock.now());
    if (until === undefined) {
      open(state, name);
      return turn;
    }
    const retryAfterMs = until - clock.now();
    // Words a model made are paid for; a notice of the server itself took no tokens.
    const processed = inputTokensOf(turn.usage) + turn.usage.outputTokens > 0;
    throw modelFailure("model-plan-limit", { detail: `${name} said so in words`, retryAfterMs, processed });
  } catch (error) {
    // Whoever broke it off says nothing about the provider.
    if (signal.aborted || !(error instanceof ModelFailure)) throw error;
    throw judged(state, error, { name, isProbe: wasShut });
  }
}

interface Judged {
  readonly name: string;
  readonly isProbe: boolean;
}

/** The failure as the job gets it: one of the provider waits with all others, one of the request is the job's own. */
function judged(state: State, error: ModelFailure, { name, isProbe }: Judged): ModelFailure {
  const closes = closesAt(error.code);
  if (closes === undefined) {
    // A server that judges a request is there and takes the key.
    open(state, name);
    return error;
  }
  const doubts = (state.doubts.get(name) ?? 0) + 1;
  if (closes === "third") state.doubts.set(name, doubts);
  if (closes === "third" && !isProbe && doubts < DOUBTS_MAX) return error;
  const shut = close(state, error, { name, isProbe });
  return closes === "third" ? error : waiting(state, shut, error.processed);
}

function close(state: State, error: ModelFailure, { name, isProbe }: Judged): Shut {
  const { clock, shut, emitter, lastKeys } = state;
  const before = shut.get(name);
  const { code, retryAfterMs: askedMs = 0 } = error;
  if (!isFailureCode(code)) throw error;
  // Sent before it was closed: no further failure, but what it was told counts.
  const tries = before === undefined ? 1 : before.tries + (isProbe ? 1 : 0);
  const asked = Math.min(askedMs, MODEL_LIMITS.planLimitMsMax);
  const waitMs = isMended(code) ? asked : Math.max(asked, backOffMs(tries, state.jitter()));
  const dueMs = Math.max(clock.monotonicMs() + waitMs, isProbe ? 0 : (before?.dueMs ?? 0));
  const isKnown = before?.code === code;
  const key = lastKeys.get(name) ?? { key: undefined, keyFrom: undefined };
  const since = isKnown ? before.since : clock.now();
  const now = { target: name, code, message: error.message, since, tries, dueMs, ...key };
  shut.delete(name);
  shut.set(name, now);
  for (const oldest of shut.keys()) if (shut.size > TARGETS_MAX) shut.delete(oldest);
  save(state);
  if (!isKnown) emitter.emit("warning:raised", { code, message: wordsOf(rowOf(state, now)).message });
  lookAtKey(state, name, KEY_LOOK_MS);
  return now;
}

function open(state: State, name: string): void {
  state.doubts.delete(name);
  if (!state.shut.delete(name)) return;
  state.looks.get(name)?.cancel();
  state.looks.delete(name);
  save(state);
}

/** 5 s, 10 s, 20 s ... up to a quarter of an hour, less up to a quarter. */
function backOffMs(tries: number, jitter: number): number {
  const ms = Math.min(MODEL_LIMITS.mendMs, JOB_LIMITS.retryBaseMs * 2 ** Math.min(tries - 1, 20));
  return ms * (1 - JITTER_SHARE * jitter);
}

function waiting(state: State, shut: Shut, processed: boolean): ModelFailure {
  const { code, message } = shut;
  const retryAfterMs = dueInMs(state, shut);
  const fix = fixOf(shut);
  return new ModelFailure(
    { code, message, disposition: "wait", retryAfterMs, ...(fix === undefined ? {} : { fix }) },
    processed,
  );
}

function heldNow(state: State, name: string): Held | undefined {
  const shut = state.shut.get(name);
  if (shut === undefined || state.probes.has(name)) return undefined;
  const waitMs = dueInMs(state, shut);
  return waitMs > 0 ? { until: state.clock.now() + waitMs, reason: shut.code } : undefined;
}

/** Whole ones: timers keep no parts, and a job that comes at its instant must not be sent away for a part of one. */
function dueInMs({ clock }: State, { dueMs }: Shut): number {
  return Math.max(0, Math.floor(dueMs - clock.monotonicMs()));
}

function letThrough({ shut, clock }: State, { target }: Shut): void {
  const known = shut.get(target);
  if (known !== undefined) shut.set(target, { ...known, dueMs: clock.monotonicMs() });
}

/** Waits for the end of somebody else's request, whatever it is. */
async function settledOrAborted(probe: Promise<void>, signal: AbortSignal): Promise<void> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (abort = resolve));
  signal.addEventListener("abort", abort, { once: true });
  await Promise.race([probe, aborted]);
  signal.removeEventListener("abort", abort);
}

/** The same source; which key it gave is noted as a fingerprint. */
function noted(state: State, { name, keys }: GateTarget): KeySource {
  return {
    async read(signal) {
      state.lastKeys.delete(name);
      const found = await keys.read(signal);
      state.lastKeys.set(name, { key: printOf(state, found), keyFrom: found?.from });
      return found;
    },
  };
}

function printOf(state: State, found: FoundKey | undefined): string | undefined {
  if (found === undefined) return undefined;
  state.salt ??= [randomSuffix(), randomSuffix(), randomSuffix(), randomSuffix()].join("");
  return shortHash(`${state.salt}:${found.value}`);
}

/**
 * While a key is the trouble: a file is read again every few seconds. A command may ask the person something, and a
 * variable does not change while we run: those are looked at once, after a start or new settings.
 */
function lookAtKey(state: State, name: string, inMs: number): void {
  const { clock, looks, targets, shut } = state;
  looks.get(name)?.cancel();
  looks.delete(name);
  const target = targets.get(name);
  const known = shut.get(name);
  if (target === undefined || known === undefined || !isOfKey(known) || target.keyPlace === undefined) return;
  if (inMs > 0 && target.keyPlace !== "file") return;
  const timer = clock.setTimer(inMs, () => {
    looks.delete(name);
    void isOtherKey(state, target).then((isOther) => {
      if (targets.get(name) !== target || shut.get(name) === undefined) return;
      if (!isOther) return lookAtKey(state, name, KEY_LOOK_MS);
      letThrough(state, known);
      state.onMended();
    });
  });
  looks.set(name, timer);
}

async function isOtherKey(state: State, { name, keys }: GateTarget): Promise<boolean> {
  try {
    const print = printOf(state, await keys.read(new AbortController().signal));
    return print !== undefined && print !== state.shut.get(name)?.key;
  } catch {
    // Unreadable as before; the next try of a job says why.
    return false;
  }
}

function isOfKey({ code }: { readonly code: string }): boolean {
  return code.startsWith("model-key-");
}

function rowOf({ clock }: State, { dueMs, ...row }: Shut): KeptClosing {
  return { ...row, until: Math.round(clock.now() + dueMs - clock.monotonicMs()) };
}

function rowsOf(state: State): KeptClosing[] {
  return [...state.shut.values()].map((shut) => rowOf(state, shut));
}

function save(state: State): void {
  saveGate(state, { salt: state.salt, closed: rowsOf(state) });
}

const SETTINGS = {
  command: "apiKeyCommand",
  file: "apiKeyFile",
  variable: "the variable apiKeyEnv",
} as const;

function wordsOf({ target, code, message, since, until, keyFrom }: KeptClosing): Closing {
  const from = isOfKey({ code }) && keyFrom !== undefined ? `, the key of ${SETTINGS[keyFrom]}` : "";
  return { target, code, message: `${message}${from}`, since, until, fix: fixOf({ code, message }) };
}
