import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DreamFacts, DreamSettings } from "../../../../src/learn/jobs/consolidate/gates.ts";
import { dreamGate } from "../../../../src/learn/jobs/consolidate/gates.ts";
import { createGateState, FIRST_STARTS_PER_HOUR } from "../../../../src/learn/jobs/consolidate/gate-state.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createFaultyOps } from "../../../helpers/faulty-ops.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOW = Date.UTC(2026, 4, 4, 9);
const SETTINGS: DreamSettings = { enabled: true, minHours: 24, minSessions: 5, quietMs: 15 * MINUTE_MS };
const MARKS = { firstSeenAt: NOW - 240 * HOUR_MS, startAt: NOW - 230 * HOUR_MS, failures: 0 };

type Costly = "lastSuccessAt" | "sessionsSince" | "hasOpenTurn" | "lastActivityAt" | "lockedUntil";

/** A folder whose dream may begin, but for what the test says; notes what was asked. */
function factsOf(changes: Partial<DreamFacts> = {}) {
  const asked: Costly[] = [];
  const facts: DreamFacts = {
    memoryOff: false,
    hostDreamOff: false,
    dailyLogMode: false,
    paused: undefined,
    parked: false,
    marks: MARKS,
    wokeUntil: undefined,
    lastSuccessAt: () => NOW - 30 * HOUR_MS,
    sessionsSince: () => 5,
    hasOpenTurn: () => false,
    lastActivityAt: () => NOW - HOUR_MS,
    lockedUntil: () => undefined,
    ...changes,
  };
  const noting = <T extends unknown[], R>(name: Costly, ask: (...given: T) => R) => {
    return (...given: T) => {
      asked.push(name);
      return ask(...given);
    };
  };
  return {
    asked,
    facts: {
      ...facts,
      lastSuccessAt: noting("lastSuccessAt", facts.lastSuccessAt),
      sessionsSince: noting("sessionsSince", facts.sessionsSince),
      hasOpenTurn: noting("hasOpenTurn", facts.hasOpenTurn),
      lastActivityAt: noting("lastActivityAt", facts.lastActivityAt),
      lockedUntil: noting("lockedUntil", facts.lockedUntil ?? (() => undefined)),
    },
  };
}

const answer = (changes: Partial<DreamFacts>, settings = SETTINGS) =>
  dreamGate(factsOf(changes).facts, settings, NOW);
const closed = (reason: string, dueAt?: number) => ({ open: false, reason, dueAt });

describe("the gate of a dream", () => {
  it("opens with 24 hours and 5 sessions, in quiet, and asks each costly question once, cheapest first", () => {
    const { facts, asked } = factsOf();

    expect(dreamGate(facts, SETTINGS, NOW)).toEqual({ open: true });

    expect(asked).toEqual(["lastSuccessAt", "sessionsSince", "hasOpenTurn", "lastActivityAt", "lockedUntil"]);
  });

  const day = NOW - 24 * HOUR_MS;
  const hour = NOW + HOUR_MS;
  it.each<[string, Partial<DreamFacts>, ReturnType<typeof closed>, Costly[]]>([
    ["memory is off", { memoryOff: true }, closed("switched-off"), []],
    ["the host's dream is switched off", { hostDreamOff: true }, closed("switched-off"), []],
    ["daily logs are kept", { dailyLogMode: true }, closed("daily-log-mode"), []],
    ["a pause has an end", { paused: { until: hour } }, closed("paused", hour), []],
    ["a pause has none", { paused: { until: undefined } }, closed("paused"), []],
    ["the folder is parked", { parked: true }, closed("parked"), []],
    [
      "it failed lately",
      { marks: { ...MARKS, notBefore: hour } },
      closed("backing-off", hour),
      ["lastSuccessAt"],
    ],
    [
      "it was just met",
      { marks: { ...MARKS, startAt: hour } },
      closed("first-sight", hour),
      ["lastSuccessAt"],
    ],
    [
      "23.9 hours passed (reference 17)",
      { lastSuccessAt: () => NOW - 23.9 * HOUR_MS },
      closed("too-soon", NOW + 0.1 * HOUR_MS),
      ["lastSuccessAt"],
    ],
    [
      "it was just met and a dream that was forced is 23 hours old: the longer wait is told",
      { marks: { ...MARKS, startAt: NOW + 1 }, lastSuccessAt: () => NOW - 23 * HOUR_MS },
      closed("too-soon", hour),
      ["lastSuccessAt"],
    ],
    [
      "the last success is of a clock two hours ahead (fault 52)",
      { lastSuccessAt: () => NOW + 2 * HOUR_MS },
      closed("too-soon", NOW + 24 * HOUR_MS),
      ["lastSuccessAt"],
    ],
    [
      "its sessions were counted 9 minutes ago (reference 17)",
      { marks: { ...MARKS, scannedAt: NOW - 9 * MINUTE_MS } },
      closed("scanned-lately", NOW + MINUTE_MS),
      ["lastSuccessAt"],
    ],
    [
      "there were 4 sessions (reference 17)",
      { sessionsSince: () => 4 },
      closed("too-few-sessions"),
      ["lastSuccessAt", "sessionsSince"],
    ],
    [
      "an agent is at work, even after three days without a dream",
      { hasOpenTurn: () => true, lastSuccessAt: () => NOW - 80 * HOUR_MS },
      closed("turn-open"),
      ["lastSuccessAt", "sessionsSince", "hasOpenTurn"],
    ],
    [
      "somebody wrote five minutes ago",
      { lastActivityAt: () => NOW - 5 * MINUTE_MS },
      closed("not-quiet", NOW + 10 * MINUTE_MS),
      ["lastSuccessAt", "sessionsSince", "hasOpenTurn", "lastActivityAt"],
    ],
    [
      "the machine just woke",
      { wokeUntil: NOW + 3 * MINUTE_MS },
      closed("just-woken", NOW + 3 * MINUTE_MS),
      ["lastSuccessAt", "sessionsSince", "hasOpenTurn", "lastActivityAt"],
    ],
    [
      "the host is dreaming",
      { lockedUntil: () => hour },
      closed("locked", hour),
      ["lastSuccessAt", "sessionsSince", "hasOpenTurn", "lastActivityAt", "lockedUntil"],
    ],
  ])("is closed while %s, and asks no further", (_name, changes, expected, askedFor) => {
    const { facts, asked } = factsOf(changes);

    expect(dreamGate(facts, SETTINGS, NOW)).toEqual(expected);

    expect(asked).toEqual(askedFor);
  });

  it("is closed when the configuration says so", () => {
    expect(answer({}, { ...SETTINGS, enabled: false })).toEqual(closed("switched-off"));
  });

  it("counts every session where nobody knows of a last dream (B45a)", () => {
    const asked: number[] = [];
    const sessionsSince = (at: number) => asked.push(at) + 8;

    expect(answer({ lastSuccessAt: () => undefined, sessionsSince })).toEqual({ open: true });

    expect(asked).toEqual([0]);
  });

  it.each([
    ["a last dream of 72 hours ago", { lastSuccessAt: () => NOW - 72 * HOUR_MS }],
    ["a first sight of ten days ago and no dream ever", { lastSuccessAt: () => undefined }],
  ])("does not wait for quiet after %s", (_name, changes) => {
    expect(answer({ ...changes, lastActivityAt: () => NOW })).toEqual({ open: true });
    expect(answer({ lastSuccessAt: () => day, lastActivityAt: () => NOW })).toMatchObject({
      reason: "not-quiet",
    });
  });

  it.each([
    ["scanned", { marks: { ...MARKS, scannedAt: NOW + HOUR_MS } }],
    ["active", { lastActivityAt: () => NOW + 48 * HOUR_MS }],
  ] as const)("is not held for long by a time of the future: %s", (_name, changes) => {
    const got = answer(changes);

    expect(got.open || (got.dueAt ?? Infinity) <= NOW + SETTINGS.quietMs).toBe(true);
  });
});

function stateBench(clock = createManualClock({ startAt: NOW })) {
  const temp = createTempFolder();
  const warnings: string[] = [];
  const emitter = createEmitter((error) => {
    throw error;
  });
  emitter.on("warning:raised", ({ code }) => void warnings.push(code));
  const start = (ops?: Parameters<typeof createFiles>[0]) =>
    createGateState({ files: createFiles(ops), clock, emitter, stateDir: temp.path });
  return { clock, temp, warnings, start };
}

describe("what the gates remember", () => {
  it("is when the sessions were counted, across a restart: a second scan within 10 minutes reads no folder", async () => {
    const { clock, temp, start } = stateBench();
    mkdirSync(temp.at("transcripts"));
    let reads = 0;
    const ask = () => {
      const state = start();
      const marks = { ...state.marksOf("a"), startAt: 0 };
      const sessionsSince = () => {
        state.scanned("a");
        reads += 1;
        return readdirSync(temp.at("transcripts")).length;
      };
      return dreamGate(factsOf({ marks, sessionsSince }).facts, SETTINGS, clock.now());
    };
    expect(ask()).toEqual(closed("too-few-sessions"));
    await clock.advance(9 * MINUTE_MS);

    expect(ask()).toEqual(closed("scanned-lately", NOW + 10 * MINUTE_MS));
    expect(reads).toBe(1);

    await clock.advance(MINUTE_MS);
    expect(ask()).toEqual(closed("too-few-sessions"));
    expect(reads).toBe(2);
  });

  it("is how often it failed: half an hour, one, two ... and never more than a day", () => {
    const { clock, start } = stateBench();
    const waits = Array.from({ length: 9 }, () => {
      start().failed("a");
      return ((start().marksOf("a").notBefore ?? 0) - clock.now()) / HOUR_MS;
    });
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 24, 24, 24]);

    start().succeeded("a");

    expect(start().marksOf("a")).toMatchObject({ failures: 0 });
    expect(start().marksOf("a").notBefore).toBeUndefined();
  });

  it("is not a failure that does not count (a network right after a wake, fault 55): it waits ten minutes and no longer each time", () => {
    const { clock, start } = stateBench();
    start().failed("a", { counts: false });
    start().failed("a", { counts: false });

    expect(start().marksOf("a")).toMatchObject({ failures: 0, notBefore: clock.now() + 10 * MINUTE_MS });
  });

  it("is no wait of more than a day after a clock was set back", () => {
    const { clock, start } = stateBench();
    start().failed("a");
    clock.setWall(NOW - 20 * HOUR_MS);
    expect(start().marksOf("a").notBefore).toBe(NOW + HOUR_MS / 2);

    clock.setWall(NOW - 24 * HOUR_MS);

    expect(start().marksOf("a").notBefore).toBe(NOW);
  });

  it("is the first sight: the same start after a restart, within a day, the same share of it on every machine", () => {
    const [one, other] = [stateBench(), stateBench()];
    const { startAt, firstSeenAt } = one.start().marksOf("0123456789abcdef");

    expect(firstSeenAt).toBe(NOW);
    expect(startAt).toBeGreaterThanOrEqual(NOW);
    expect(startAt).toBeLessThan(NOW + 24 * HOUR_MS);
    expect(one.start().marksOf("0123456789abcdef").startAt).toBe(startAt);
    expect(other.start().marksOf("0123456789abcdef").startAt).toBe(startAt);
  });

  it(`lets at most ${FIRST_STARTS_PER_HOUR} folders that are met at once start in one hour, a restart in between`, () => {
    const { start } = stateBench();
    const starts: number[] = [];
    for (let part = 0; part < 3; part++) {
      const state = start();
      for (let at = 0; at < 70; at++) starts.push(state.marksOf(`folder-${part}-${at}`).startAt);
    }
    const perHour = new Map<number, number>();
    for (const at of starts) {
      const hour = Math.floor(at / HOUR_MS);
      perHour.set(hour, (perHour.get(hour) ?? 0) + 1);
    }

    expect(Math.max(...perHour.values())).toBeLessThanOrEqual(FIRST_STARTS_PER_HOUR);
    expect(perHour.size).toBeGreaterThan(24);
  });

  it.each([
    "",
    "[]",
    '{"v":1}',
    '{"v":1,"firstSeenAt":1,"startAt":2,"failures":-1}',
    '{"v":1,"firstSeenAt":9e15,"startAt":9e15,"failures":0}',
  ])("is a first sight again when it is damaged: %s", (content) => {
    const { temp, start } = stateBench();
    mkdirSync(temp.at("gates"));
    writeFileSync(join(temp.at("gates"), "a.json"), content);

    expect(start().marksOf("a")).toMatchObject({ firstSeenAt: NOW, failures: 0 });
  });

  it("costs a warning and no error where the disk is full", () => {
    const { start, warnings } = stateBench();
    const { ops } = createFaultyOps({ at: 1, fault: "ENOSPC", only: ["writeSync"] });

    expect(start(ops).marksOf("a").failures).toBe(0);

    expect(warnings).toEqual(["gate-not-saved"]);
  });
});
