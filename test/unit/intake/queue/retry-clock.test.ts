import { describe, expect, it } from "vitest";
import { JOB_LIMITS } from "../../../../src/domain/limits.ts";
import { createRetryClock } from "../../../../src/intake/queue/retry-clock.ts";
import { createEmitter } from "../../../../src/system/emitter.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createEventSpy } from "../../../helpers/event-spy.ts";
import { createFaultyOps, forEveryFault } from "../../../helpers/faulty-ops.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import type { ManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";

interface Options {
  readonly path?: string;
  readonly clock?: ManualClock;
  readonly jitter?: number;
  readonly files?: ReturnType<typeof createFiles>;
}

function setUp(options: Options = {}) {
  const { clock = createManualClock(), files = createFiles(), jitter = 0 } = options;
  const path = options.path ?? createTempFolder().at("retry.json");
  const emitter = createEmitter((error) => {
    throw error;
  });
  const spy = createEventSpy(emitter);
  const retries = createRetryClock({ files, clock, path, jitter: () => jitter, emitter });
  return { retries, clock, path, spy };
}

describe("back-off", () => {
  it("doubles from its base to its longest wait", () => {
    const { retries, clock } = setUp();
    const waits: number[] = [];

    for (let failure = 1; failure <= 12; failure++) {
      retries.failed("k");
      waits.push(retries.waitMs("k"));
      clock.skipMonotonic(JOB_LIMITS.retryMaxMs);
    }

    expect(waits.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(waits.slice(-2)).toEqual([JOB_LIMITS.retryMaxMs, JOB_LIMITS.retryMaxMs]);
  });

  it("spreads retries downwards, so that the longest wait stays the longest", () => {
    const { retries } = setUp({ jitter: 0.999 });

    retries.failed("k", { final: true });

    expect(retries.waitMs("k")).toBeLessThan(JOB_LIMITS.retryMaxMs);
    expect(retries.waitMs("k")).toBeGreaterThanOrEqual(0.75 * JOB_LIMITS.retryMaxMs);
  });

  it("writes nothing for a job that asked to run later: after a restart it asks again", () => {
    const { retries, path, clock } = setUp();

    retries.delayed("k", clock.now() + 30_000);

    expect(retries.waitMs("k")).toBe(30_000);
    expect(setUp({ path, clock }).retries.waitMs("k")).toBe(0);
  });

  it("is forgotten with the first success", () => {
    const { retries } = setUp();
    retries.failed("k");

    retries.clear("k");

    expect([retries.waitMs("k"), retries.failures("k"), retries.isDead("k")]).toEqual([0, 0, false]);
  });

  it("is forgotten on disk within a turn, with one write however many keys succeeded", async () => {
    const real = createFiles();
    let writes = 0;
    const replace: typeof real.replace = (...args) => {
      writes += 1;
      return real.replace(...args);
    };
    const { retries, path, clock } = setUp({ files: { ...real, replace } });
    const keys = Array.from({ length: 100 }, (_, at) => `k${at}`);
    for (const key of keys) retries.failed(key);
    writes = 0;

    for (const key of keys) retries.clear(key);
    await clock.advance(0);

    const again = setUp({ path, clock }).retries;
    expect({ writes, left: keys.filter((key) => again.failures(key) > 0) }).toEqual({ writes: 1, left: [] });
  });

  it("keeps keys named like members of every object apart", () => {
    const { retries, path, clock } = setUp();

    retries.failed("__proto__");
    const again = setUp({ path, clock }).retries;

    expect([again.failures("__proto__"), again.failures("constructor")]).toEqual([1, 0]);
  });
});

describe("a clock that was set back", () => {
  it("changes no wait of a running process (B45b)", () => {
    const { retries, clock } = setUp();
    retries.failed("k");

    clock.setWall(clock.now() - 3_600_000);

    expect(retries.waitMs("k")).toBe(JOB_LIMITS.retryBaseMs);
  });

  it("makes nobody wait longer than the longest back-off after a restart", () => {
    const { retries, clock, path } = setUp();
    retries.failed("k");
    clock.setWall(clock.now() - 365 * 86_400_000);

    const again = setUp({ path, clock });

    expect(again.retries.waitMs("k")).toBe(JOB_LIMITS.retryMaxMs);
    expect(again.retries.failures("k")).toBe(1);
  });

  it("clamps an instant that a job asks for", () => {
    const { retries, clock } = setUp();

    retries.delayed("far", clock.now() + 365 * 86_400_000);
    retries.delayed("odd", Number.NaN);

    expect(retries.waitMs("far")).toBe(JOB_LIMITS.retryMaxMs);
    expect(retries.waitMs("odd")).toBeLessThanOrEqual(1_000);
  });
});

describe("the file", () => {
  it("is private and says what it is", () => {
    const { retries, path, clock } = setUp();

    retries.failed("extract:a");

    const content: unknown = JSON.parse(createFiles().read(path, 10_000)?.toString() ?? "");
    const notBefore = clock.now() + JOB_LIMITS.retryBaseMs;
    expect(content).toEqual({ v: 1, keys: [{ key: "extract:a", failures: 1, notBefore }] });
    expect(createFiles().look(path)?.mode).toBe(0o600);
  });

  it.each([
    ["half a document", '{"v":1,"keys":[{"key":"a","fai'],
    ["another version", '{"v":2,"keys":[]}'],
    ["no object", "null"],
    ["no list", '{"v":1,"keys":{"a":1}}'],
    ["nothing", ""],
    ["bytes that are no text", "\u0000\uFFFD"],
  ])("counts as never written when it holds %s", (_what, content) => {
    const path = createTempFolder().write("retry.json", content);

    const { retries } = setUp({ path });

    expect(retries.failures("a")).toBe(0);
    retries.failed("a");
    expect(setUp({ path }).retries.failures("a")).toBe(1);
  });

  it("loses only the rows that are damaged", () => {
    const rows = [
      null,
      7,
      { key: 1 },
      { key: "b", failures: -1, notBefore: 0 },
      { key: "a", failures: 2, notBefore: 0 },
    ];
    const path = createTempFolder().write("retry.json", JSON.stringify({ v: 1, keys: rows }));

    const { retries } = setUp({ path });

    expect([retries.failures("a"), retries.failures("b")]).toEqual([2, 0]);
  });

  it("that cannot be written costs a warning, never a retry (Q16, faults 18 and 19)", async () => {
    for (const fault of ["ENOSPC", "EROFS", "EACCES", "EIO", "EMFILE"]) {
      const tried = await forEveryFault({
        fault,
        attempt(faulty) {
          const { retries, spy } = setUp({ files: createFiles(faulty.ops) });
          retries.failed("a");
          expect(retries.waitMs("a")).toBe(JOB_LIMITS.retryBaseMs);
          const codes = spy.seen("warning:raised").map(({ code }) => code);
          // The first call of all is the look for an older file.
          if (faulty.fired()) expect(["retry-unreadable", "retry-not-saved"]).toContain(codes.join());
        },
      });
      expect(tried).toBeGreaterThan(3);
    }
  });

  it("holds the old or the new state after a kill at any instruction", async () => {
    await forEveryFault({
      fault: "kill",
      attempt(faulty) {
        const path = createTempFolder().at("retry.json");
        setUp({ path }).retries.failed("a");
        setUp({ path, files: createFiles(faulty.ops) }).retries.failed("a");
        expect([1, 2]).toContain(setUp({ path }).retries.failures("a"));
      },
    });
  });

  it("that cannot be read counts as never written and raises a warning", () => {
    const path = createTempFolder().write("retry.json", '{"v":1,"keys":[]}');
    const faulty = createFaultyOps({ at: 1, fault: "EACCES", only: ["openSync"] });

    const { spy } = setUp({ path, files: createFiles(faulty.ops) });

    expect(spy.seen("warning:raised").map(({ code }) => code)).toEqual(["retry-unreadable"]);
  });
});
