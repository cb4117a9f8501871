import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/registry.ts";
import { createFakeService, sampleStatus } from "../unit/serve/fake-service.ts";
import { DOCUMENTS } from "./documents.ts";

const project = {
  key: "-home-ana-shop",
  root: "/home/ana/shop",
  memoryDir: "/home/ana/.claude/projects/-home-ana-shop/memory",
  mode: "auto",
  memories: 3,
  index: { lines: 3, bytes: 200 },
  waitingFor: null,
  lastRun: null,
  lastSkip: { reason: "settling", at: "2026-05-04T08:00:00.000Z" },
  lastError: { code: "timeout", message: "slow", at: "2026-05-04T08:00:00.000Z", retryAt: null },
  nextDue: { extract: "2026-05-04T08:00:00.000Z" },
  spentUsdToday: 0.25,
} as const;

describe("the schemas of documents", () => {
  it("take what the service answers", async () => {
    const service = createFakeService();
    const answers = {
      status: sampleStatus({ projects: [project] }),
      sync: await service.sync({}),
      list: await service.memories({ all: true }),
      remember: await service.remember({ text: "x", project: "/p" }),
      forget: await service.forget({ name: "x", project: "/p" }),
      pause: await service.pause({}),
      resume: await service.resume(),
    };

    for (const [command, document] of Object.entries(answers))
      expect(DOCUMENTS[command]?.safeParse(document).error, command).toBeUndefined();
  });

  it("take fields nobody knows yet", () => {
    const status = { ...sampleStatus(), moon: "full", queue: { ...sampleStatus().queue, late: 1 } };

    expect(DOCUMENTS["status"]?.safeParse(status).success).toBe(true);
  });

  it.each([
    ["a missing field", { ...sampleStatus(), counters: { linesRead: 1, recordsRead: 1, secretsMasked: 0 } }],
    ["another type", { ...sampleStatus(), pid: "1" }],
    ["a word that is none of the choices", { ...sampleStatus(), state: "sleeping" }],
    ["a null where none may be", sampleStatus({ projects: [{ ...project, key: null as never }] })],
    ["a broken entry of a list", sampleStatus({ projects: [project, { ...project, memories: -1 }] })],
    ["a time that is none", { ...sampleStatus(), startedAt: "yesterday" }],
  ])("refuse %s", (_name, document) => {
    expect(DOCUMENTS["status"]?.safeParse(document).success).toBe(false);
  });

  it("are there for every command that prints a document", () => {
    const described = new Set(Object.keys(DOCUMENTS).map((name) => name.split(" ")[0]));
    /** Ends only with the daemon. */
    const silent = new Set(["run"]);
    const missing = COMMANDS.map(({ name }) => name).filter(
      (name) => !described.has(name) && !silent.has(name),
    );

    expect(missing).toEqual([]);
  });
});
