import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/registry.ts";
import { ANSWERS } from "../../src/serve/control/documents.ts";
import { createFakeService, sampleProject, sampleSource, sampleStatus } from "../unit/serve/fake-service.ts";
import { checkerOf, DOCUMENTS } from "./documents.ts";

const project = sampleProject();

describe("the schemas of documents", () => {
  it("take what the service answers", async () => {
    const service = createFakeService();
    const answers = {
      status: sampleStatus({ projects: [project], sources: [sampleSource()] }),
      sync: await service.sync({}),
      list: await service.memories({ all: true }),
      runs: await service.runs({}),
      remember: await service.remember({ text: "x", project: "/p" }),
      forget: await service.forget({ name: "x", project: "/p" }),
      why: await service.why({ what: "x", project: "/p" }),
      news: await service.news({}),
      ignore: await service.ignore({ session: "x" }),
      cancel: await service.cancel({ run: "x" }),
      pause: await service.pause({}),
      resume: await service.resume(),
    };

    for (const [command, document] of Object.entries(answers)) {
      const schema = command === "runs" ? checkerOf(ANSWERS.runs) : DOCUMENTS[command];
      expect(schema?.safeParse(document), command).toMatchObject({ success: true });
    }
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
