import { describe, expect, it } from "vitest";
import { createLog } from "../../../src/system/log.ts";
import { createManualClock } from "../../helpers/manual-clock.ts";
import type { LogLevel } from "../../../src/system/log.ts";

function createPair(options: { level?: LogLevel; scrub?: (line: string) => string } = {}) {
  const lines: string[] = [];
  const clock = createManualClock();
  const log = createLog({
    clock,
    level: options.level ?? "info",
    scrub: options.scrub ?? ((line) => line),
    write: (line) => void lines.push(line),
  });
  return {
    log,
    clock,
    lines,
    parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

describe("the log", () => {
  it("writes one JSON line at once: time, level in words, fields, constant message", () => {
    const { log, lines, parsed } = createPair();

    log.info("job:finished", { key: "extract:a", ms: 12 });

    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith("}\n")).toBe(true);
    expect(parsed()[0]).toMatchObject({ level: "info", msg: "job:finished", key: "extract:a", ms: 12 });
    expect(parsed()[0]?.["time"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(Object.keys(parsed()[0] ?? {})).not.toContain("hostname");
  });

  it("leaves out what is below its level, and everything when silent", () => {
    const quiet = createPair({ level: "warn" });
    quiet.log.debug("a");
    quiet.log.info("b");
    quiet.log.warn("c");
    quiet.log.error("d");
    const silent = createPair({ level: "silent" });
    silent.log.error("e");

    expect(quiet.parsed().map(({ msg }) => msg)).toEqual(["c", "d"]);
    expect(silent.lines).toEqual([]);
  });

  it("scrubs the finished line, so that a secret is found at any depth and in any key", () => {
    const secret = ["sk", "ant", "x".repeat(20)].join("-");
    const { log, lines } = createPair({ scrub: (line) => line.replaceAll(secret, "[secret]") });

    log.error("failed", { error: `401 for ${secret}`, deep: { er: [{ key: secret }] }, [secret]: 1 });

    expect(lines.join("")).not.toContain(secret);
    expect(lines.join("")).toContain("[secret]");
  });

  it("withholds a line that cannot be scrubbed instead of printing or throwing", () => {
    const { log, lines, parsed } = createPair({
      scrub: () => {
        throw new Error("no");
      },
    });

    log.info("m", { text: "confidential" });

    expect(lines.join("")).not.toContain("confidential");
    expect(parsed()[0]?.["msg"]).toContain("withheld");
  });

  it("keeps a hostile text on one line and free of control characters", () => {
    const { log, lines } = createPair();

    log.info("file", { path: "a\nb\u001b[2Jc\u0000" });

    expect(lines).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex -- the point of the test
    expect(lines[0]?.trimEnd()).not.toMatch(/[\u0000-\u001f]/);
  });

  it("escapes what would reorder or hide text in a terminal", () => {
    const { log, lines, parsed } = createPair();

    log.info("file", { path: "a\u202eb\u009bc\u2028d\ufeffe" });

    expect(lines.join("")).toMatch(/a\\u202eb\\u009bc\\u2028d\\ufeffe/);
    expect(parsed()[0]?.["path"]).toBe("a\u202eb\u009bc\u2028d\ufeffe");
  });

  it("finds a secret with a quote in it, which looks different in JSON", () => {
    const { log, lines } = createPair({ scrub: (text) => text.replaceAll('pass"word', "[secret]") });

    log.warn("m", { error: 'refused: pass"word' });

    expect(lines.join("")).toContain("refused: [secret]");
    expect(lines.join("")).not.toContain("word");
  });

  it("keeps the beginning of a line that is too long", () => {
    const { log, lines, parsed } = createPair();

    log.info(
      "many",
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, "x".repeat(1_000)])),
    );

    expect(lines.join("").length).toBeLessThan(20_000);
    expect(parsed()[0]).toMatchObject({ msg: "a log line was cut" });
    expect(String(parsed()[0]?.["line"])).toContain('"f0":"xxx');
  });

  it("folds errors that repeat, not what is told once a job", async () => {
    const { log, clock, parsed } = createPair();
    for (let call = 0; call < 5; call++) {
      log.error("failed", { error: "no space left" });
      log.info("job:finished", { key: "a" });
    }
    log.error("failed", { error: "another" });
    await clock.advance(10 * 60_000);

    log.info("something", {});
    log.flush();

    const told = parsed().map(({ msg, error, repeated }) => [msg, error, repeated]);
    expect(told.filter(([msg]) => msg === "job:finished")).toHaveLength(5);
    expect(told.filter(([msg]) => msg === "failed")).toEqual([
      ["failed", "no space left", undefined],
      ["failed", "another", undefined],
      ["failed", "no space left", 4],
    ]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("tells at the end what it has kept back", () => {
    const { log, parsed } = createPair();
    for (let call = 0; call < 3; call++) log.warn("again", { a: 1 });

    log.flush();

    expect(parsed()).toMatchObject([
      { msg: "again", a: 1 },
      { msg: "again", a: 1, repeated: 2 },
    ]);
  });

  it("survives fields that cannot be turned into JSON", () => {
    const { log, parsed } = createPair();
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const hostile = {
      toJSON() {
        throw new Error("no");
      },
    };

    log.info("circle", { circle });
    log.info("hostile", { hostile });
    log.info("big", { big: 10n });

    expect(parsed().map(({ msg }) => msg)).toEqual(["circle", "hostile", "big"]);
  });
});
