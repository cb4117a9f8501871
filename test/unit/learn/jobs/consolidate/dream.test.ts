// A dream by a scripted model, from request to file: what it mends, what it may not, and what is left when it fails.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemCode } from "../../../../../src/domain/errors.ts";
import { createTranscript, recordIdOf, sessionIdOf } from "../../../../helpers/claude-transcript.ts";
import { checkLeaks } from "../../../../helpers/leak-check.ts";
import { useScenes } from "../../models/client.ts";
import {
  answer,
  call,
  createDreamWorld,
  DAY_MS,
  DONE,
  quoting,
  TODAY,
  withReasons,
  type WorldOptions,
} from "./dream-world.ts";

checkLeaks();
const openScene = useScenes();
const world = async (options: WorldOptions = {}) => createDreamWorld(await openScene(), options);

const SQUASH = {
  file: "feedback_squash.md",
  text: "Always squash commits before merging.",
  type: "feedback",
} as const;
const SQUASH_AGAIN = {
  file: "feedback_merge.md",
  text: "Squash commits before merging, and write the ticket number into the title.",
  type: "feedback",
} as const;
const FILLERS = Array.from({ length: 8 }, (_, at) => ({
  file: `reference_board_${at}.md`,
  text: `The ${["red", "blue", "green", "grey", "pink", "gold", "lime", "teal"][at] ?? ""} board hangs in hall number ${at}.`,
  type: "reference" as const,
}));

const MERGED = call("write", {
  file: SQUASH_AGAIN.file,
  name: "feedback-merge",
  description: SQUASH_AGAIN.text,
  type: "feedback",
  body: withReasons(`${SQUASH_AGAIN.text}\n\n${SQUASH.text}`),
  evidence: [
    quoting(SQUASH.file, SQUASH.text),
    quoting(SQUASH_AGAIN.file, "write the ticket number into the title"),
  ],
});
const GONE = call("delete", {
  file: SQUASH.file,
  reason: "duplicate",
  evidence: [quoting(SQUASH_AGAIN.file, "Squash commits before merging")],
});

describe("a merge", () => {
  it("keeps the richer file, takes the other away, tells both and says so in the history", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.reply(answer(MERGED, GONE));

    const reply = await scene.dream();

    expect(reply).toMatchObject({ outcome: "succeeded", reason: null });
    expect(reply.changes).toEqual([
      { op: "update", file: SQUASH_AGAIN.file, why: `put together with ${SQUASH.file}` },
      { op: "delete", file: SQUASH.file, why: `${SQUASH_AGAIN.file} says the same` },
    ]);
    expect([reply.before.files, reply.after.files]).toEqual([10, 9]);
    const after = scene.contents();
    expect(after[SQUASH_AGAIN.file]).toContain(SQUASH.text);
    for (const { file } of FILLERS) expect(after[file]).toBe(before[file]);
    expect(scene.bench.read("MEMORY.md")).not.toContain(SQUASH.file);
    const trail = scene.bench.writer.trail(scene.bench.memoryDir);
    const [entry] = trail.entriesOf(reply.run ?? "");
    expect(entry?.ops.map(({ reason }) => reason)).toEqual([undefined, "duplicate"]);
    expect(scene.ends).toMatchObject([{ outcome: "succeeded", requests: 1 }]);
    expect(scene.phases).toEqual(["orient", "consolidate", "prune"]);
    expect(scene.lastSuccessAt()).toBe(scene.clock.now());
  });

  it("into a new file rests on what the old ones rested on, and is as old as the newest of them", async () => {
    const scene = await world();
    await scene.remember({ ...SQUASH, daysAgo: 9 }, { ...SQUASH_AGAIN, daysAgo: 4 }, ...FILLERS);
    const body = withReasons(`${SQUASH_AGAIN.text}\n\n${SQUASH.text}`);
    const evidence = [
      quoting(SQUASH.file, SQUASH.text),
      quoting(SQUASH_AGAIN.file, "Squash commits before merging"),
    ];
    scene.stub.reply(
      answer(
        GONE,
        call("delete", {
          file: SQUASH_AGAIN.file,
          reason: "duplicate",
          evidence: [quoting(SQUASH.file, SQUASH.text)],
        }),
        call("write", {
          file: "feedback_squash_commits.md",
          name: "squash-commits",
          description: SQUASH_AGAIN.text,
          type: "feedback",
          body,
          evidence,
        }),
      ),
    );

    const reply = await scene.dream();

    expect(reply.outcome).toBe("succeeded");
    const text = scene.bench.read("feedback_squash_commits.md");
    expect(text).toContain("confirmed: 2026-04-30");
    expect(text).toContain("record-of-feedback-squash");
    expect(text).toContain("record-of-feedback-merge");
    expect(scene.contents()[SQUASH.file]).toBeUndefined();
    expect(reply.changes.at(-1)?.why).toBe(`made of ${SQUASH.file}, ${SQUASH_AGAIN.file}`);
  });

  it("goes back with an undo: the old files rest on what they rested on, and no word of theirs is kept away", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.reply(answer(MERGED, GONE));
    const { run } = await scene.dream();
    const { memoryDir, writer } = scene.bench;

    await writer.undo({ memoryDir, what: { run: run ?? "" }, force: false, dryRun: false });

    // The order of the index may be another one.
    expect({ ...scene.contents(), "MEMORY.md": "" }).toEqual({ ...before, "MEMORY.md": "" });
    const set = { project: scene.project, producer: "model", memoryDir } as const;
    const { removed, saidAt } = writer.preview({ set, today: TODAY, sharedFolder: false });
    expect([...removed.recordIds]).toEqual([]);
    expect(saidAt.has(SQUASH.file)).toBe(true);
  });

  it("that adds a sentence found in neither is refused, with the removal that belongs to it", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    const body = withReasons(
      `${SQUASH_AGAIN.text}\n\nReviewers rest on weekends, and the robot merges alone.`,
    );
    const invented = { ...MERGED, input: { ...(MERGED.input as object), body } };
    scene.stub.reply(answer(invented, GONE), DONE);

    const reply = await scene.dream();

    expect(scene.contents()).toEqual(before);
    expect(reply).toMatchObject({
      outcome: "succeeded",
      changes: [],
      noted: [{ code: "left-alone", file: SQUASH.file }],
    });
  });

  it.each([
    ["edit", { file: SQUASH_AGAIN.file, old: "nowhere", new: SQUASH.text }],
    ["write", { file: SQUASH_AGAIN.file, name: "x", type: "feedback", body: SQUASH.text }],
  ])("whose %s comes to nothing leaves the other file where it is", async (tool, input) => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    const evidence = [quoting(SQUASH.file, SQUASH.text)];
    scene.stub.reply(answer(call(tool, { ...input, evidence }), GONE), DONE);

    const reply = await scene.dream();

    expect(scene.contents()).toEqual(before);
    expect(reply).toMatchObject({ changes: [], noted: [{ code: "left-alone", file: SQUASH.file }] });
  });

  it("that comes to nothing at first and is mended is made", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const wrong = { ...MERGED, input: { ...(MERGED.input as object), file: "Feedback Merge" } };
    scene.stub.reply(answer(wrong, GONE), answer(MERGED));

    expect((await scene.dream()).changes.map(({ op }) => op).toSorted()).toEqual(["delete", "update"]);
  });

  it.each([
    ["a number", "Squash commits before merging; 3 approvals are needed."],
    ["an address", "Squash commits before merging, see https://git.example/how-to."],
    ["a command", "Squash commits before merging with `git rebase -i main`."],
    ["a path", "Squash commits before merging, as docs/merging.md says."],
    ["a date", "Squash commits before merging, since 2026-03-01."],
    ["a never", "Squash commits before merging, never after it."],
  ])("leaves a file that says %s its memory would not say", async (_, text) => {
    const scene = await world();
    await scene.remember({ ...SQUASH, text }, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.reply(answer(GONE), DONE);

    const reply = await scene.dream();

    expect(scene.contents()).toEqual(before);
    expect(reply).toMatchObject({ changes: [], noted: [{ code: "left-alone", file: SQUASH.file }] });
  });

  it("cannot put two files into each other and lose both", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.reply(
      answer(
        GONE,
        call("delete", {
          file: SQUASH_AGAIN.file,
          reason: "duplicate",
          evidence: [quoting(SQUASH.file, SQUASH.text)],
        }),
      ),
    );

    expect(await scene.dream()).toMatchObject({ outcome: "failed", reason: "loss", changes: [] });
    expect(scene.contents()).toEqual(before);
    expect(scene.lastSuccessAt()).toBeUndefined();
    expect(scene.lock()).toBeUndefined();
  });
});

describe("a dream that fails", () => {
  const drops = (share: number) =>
    answer(
      ...FILLERS.slice(0, Math.round(FILLERS.length * share)).map(({ file }) =>
        call("delete", {
          file,
          reason: "wrong",
          evidence: [quoting(FILLERS[7]?.file ?? "", FILLERS[7]?.text ?? "")],
        }),
      ),
    );

  it("by dropping 40 % is refused whole: folder byte-identical, stamp unchanged (fault 58)", async () => {
    const scene = await world();
    await scene.remember(...FILLERS);
    const before = scene.contents();
    scene.stub.reply(drops(0.4));

    const reply = await scene.dream();

    expect(reply).toMatchObject({ outcome: "failed", reason: "loss" });
    expect(scene.contents()).toEqual(before);
    expect(scene.lastSuccessAt()).toBeUndefined();
    expect(scene.ends).toMatchObject([{ outcome: "failed", requests: 1 }]);
  });

  it("at its third request leaves memory and stamp as they were (fault 57)", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.reply(
      answer(call("grep", { pattern: "squash" })),
      answer(MERGED, call("grep", { pattern: "merge" })),
      { status: 500, error: { type: "api_error" } },
    );

    const error = await scene.dream().catch((reason: unknown) => reason);

    expect(systemCode(error)).toMatch(/^model-/u);
    expect(scene.stub.requests).toHaveLength(3);
    expect(scene.contents()).toEqual(before);
    expect(scene.lastSuccessAt()).toBeUndefined();
    expect(scene.lock()).toBeUndefined();
    expect(scene.ends).toMatchObject([{ outcome: "failed" }]);
  });

  it.each(["unchanged", "(same as before)", "[rest of the memory unchanged]"])(
    "because its model writes %j in the place of a text changes nothing (B33)",
    async (word) => {
      const scene = await world();
      await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
      const before = scene.contents();
      const emptied = { ...MERGED, input: { ...(MERGED.input as object), body: word } };
      scene.stub.reply(answer(emptied, call("write", { file: "MEMORY.md", body: "" })), DONE);

      expect(await scene.dream()).toMatchObject({ outcome: "failed", reason: "empty", changes: [] });
      expect(scene.contents()).toEqual(before);
      expect(scene.lock()).toBeUndefined();
    },
  );

  it("before its first request because of a ceiling is skipped, and no run is told", async () => {
    const scene = await world({ limits: { tokensPerDay: 10 } });
    await scene.remember(SQUASH, SQUASH_AGAIN);

    const reply = await scene.dream();
    expect(reply).toMatchObject({ outcome: "skipped", reason: "over-budget", run: null });
    // No midnight opens it.
    expect(reply).toMatchObject({ tooLow: "budget.tokensPerDay" });
    expect(reply.dueAt).toBeUndefined();
    expect(scene.ends).toEqual([]);
    expect(scene.lock()).toBeUndefined();
  });

  it("at its bound of turns, or of tokens, says which and changes nothing", async () => {
    const scene = await world({ reader: { turnsMax: 3 } });
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.otherwise(answer(MERGED, GONE, call("grep", { pattern: "x" })));

    expect(await scene.dream()).toMatchObject({ outcome: "failed", reason: "turn-limit" });
    expect(scene.stub.requests).toHaveLength(3);
    const tight = await world({ reader: { inputTokensMax: 100 } });
    await tight.remember(SQUASH);
    expect(await tight.dream()).toMatchObject({ outcome: "failed", reason: "token-limit" });
    expect(tight.stub.requests).toEqual([]);
    expect(scene.contents()).toEqual(before);
  });

  it.each(["orient", "gather", "consolidate", "prune"])(
    "by an abort while it is at %s changes nothing",
    async (phase) => {
      const scene = await world();
      await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
      const before = scene.contents();
      const controller = new AbortController();
      scene.bench.emitter.on("dream:advanced", (told) => {
        if (told.phase === phase) controller.abort(new Error("stopped by the test"));
      });
      scene.stub.reply(
        answer(call("read", { file: SQUASH.file }), call("search_sessions", { text: "squash" })),
        answer(MERGED, call("grep", { pattern: "x" })),
        answer(GONE),
      );

      await expect(scene.dream({ signal: controller.signal })).rejects.toThrow("stopped by the test");

      expect(scene.contents()).toEqual(before);
      expect(scene.lastSuccessAt()).toBeUndefined();
      expect(scene.lock()).toBeUndefined();
    },
  );
});

describe("an abort after the commit", () => {
  it("comes too late: the dream is done, and counts", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const controller = new AbortController();
    const { commit } = scene.deps;
    scene.deps.commit = async (set, options) => {
      const result = await commit(set, options);
      controller.abort(new Error("stopped by the test"));
      return result;
    };
    scene.stub.reply(answer(MERGED, GONE));

    expect(await scene.dream({ signal: controller.signal })).toMatchObject({ outcome: "succeeded" });

    expect(scene.contents()[SQUASH.file]).toBeUndefined();
    expect(scene.lastSuccessAt()).toBe(scene.clock.now());
    expect(scene.ends).toMatchObject([{ outcome: "succeeded" }]);
    expect(scene.lock()?.body).toBe("");
  });
});

describe("somebody else", () => {
  it("who edits a file meanwhile keeps their text, and the model looks once more (fault 50)", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const mine = scene.bench.read(SQUASH.file).replace(SQUASH.text, "Never squash, says Ana.");
    scene.stub.reply(() => {
      writeFileSync(join(scene.bench.memoryDir, SQUASH.file), mine);
      return answer(MERGED, GONE);
    }, DONE);

    const reply = await scene.dream();

    expect(reply).toMatchObject({ outcome: "succeeded", changes: [] });
    expect(scene.stub.requests).toHaveLength(2);
    expect(JSON.stringify(scene.stub.requests[1]?.body)).toContain("Never squash, says Ana.");
    expect(scene.bench.read(SQUASH.file)).toBe(mine);
  });

  it("who writes the index meanwhile keeps their line (fault 49)", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const line = "- see the wall behind Ana's desk\n";
    scene.stub.reply(() => {
      writeFileSync(join(scene.bench.memoryDir, "MEMORY.md"), `${scene.bench.read("MEMORY.md")}${line}`);
      return answer(MERGED, GONE);
    });

    expect((await scene.dream()).outcome).toBe("succeeded");
    expect(scene.bench.read("MEMORY.md")).toContain(line);
  });

  it("who takes the folder meanwhile keeps it: nothing is committed", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.contents();
    scene.stub.reply(() => {
      scene.plantLock();
      return answer(MERGED, GONE);
    });

    const error = await scene.dream().catch((reason: unknown) => reason);

    expect(systemCode(error)).toBe("consolidation-lost");
    expect(scene.contents()).toEqual(before);
    expect(scene.lock()?.body).not.toBe("");
    expect(scene.lastSuccessAt()).toBeUndefined();
  });

  it("who owns team/ keeps it: the model is not shown it, and no byte changes", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const shared =
      "---\nname: shared\ndescription: shared\ntype: feedback\n---\nThe team squashes walnuts.\n";
    scene.temp.write("memory/team/feedback_shared.md", shared);
    scene.stub.reply(
      answer(call("read", { file: "team/feedback_shared.md" }), call("grep", { pattern: "walnuts" })),
      answer(MERGED, GONE),
    );

    expect((await scene.dream()).outcome).toBe("succeeded");
    expect(JSON.stringify(scene.stub.requests.map(({ body }) => body))).not.toContain("squashes walnuts");
    expect(scene.bench.read("team/feedback_shared.md")).toBe(shared);
  });

  it("who holds the folder is waited for by nobody", async () => {
    const scene = await world();
    await scene.remember(SQUASH);
    const taken = await scene.holds.take({ memoryDir: scene.bench.memoryDir, run: "other", kind: "distill" });

    expect(await scene.dream()).toMatchObject({ outcome: "skipped", reason: "locked", run: null });
    expect(scene.stub.requests).toEqual([]);
    if ("hold" in taken) await taken.hold.rollBack();
  });
});

describe("sessions", () => {
  const words = "The shop listens on port 4200 since the move, not 4100 any more.";

  it("since the last dream are searched for a text, and what is shown may be quoted", async () => {
    const scene = await world();
    await scene.remember(
      { file: "project_port.md", text: "The shop listens on port 4100.", daysAgo: 9 },
      ...FILLERS,
    );
    const transcript = createTranscript({ startAt: scene.clock.now() - 3_600_000 })
      .user(words)
      .assistant("Noted: port 4200.");
    scene.session(sessionIdOf(1), transcript);
    const body = withReasons("The shop listens on port 4200 since the move, not 4100. Supersedes port 4100.");
    scene.stub.reply(
      answer(call("search_sessions", { text: "PORT 4200" })),
      answer(
        call("write", {
          file: "project_port.md",
          name: "project-port",
          description: "The shop listens on port 4200 since the move.",
          type: "project",
          body,
          evidence: [{ recordId: recordIdOf(1), quote: words }],
        }),
      ),
    );

    const reply = await scene.dream();

    const shown = JSON.stringify(scene.stub.requests[1]?.body);
    expect(shown).toContain(recordIdOf(1));
    expect(shown).toContain("assistant, ");
    expect(reply).toMatchObject({
      outcome: "succeeded",
      changes: [{ op: "update", why: "the person said more" }],
    });
    expect(scene.bench.read("project_port.md")).toContain(recordIdOf(1));
  });

  it.each<[string, Partial<WorldOptions["deps"] & object>, Parameters<typeof createTranscript>[0]]>([
    ["an ignored session", { isIgnored: () => true }, {}],
    ["a session of an agent whose words no model may read", { mayRead: () => false }, {}],
    ["a script's session", {}, { entrypoint: "sdk-cli" }],
    ["what was said before the last dream", {}, { startAt: 0 }],
  ])("never show %s", async (_, deps, options) => {
    const scene = await world({ deps });
    await scene.remember(SQUASH);
    await scene.succeedAt(scene.clock.now() - 2 * DAY_MS);
    const startAt = options?.startAt === 0 ? scene.clock.now() - 3 * DAY_MS : scene.clock.now() - 3_600_000;
    scene.session(
      sessionIdOf(1),
      createTranscript({ ...options, startAt })
        .user(words)
        .assistant("Yes."),
    );
    scene.stub.reply(answer(call("search_sessions", { text: "port" })), DONE);

    await scene.dream();

    expect(JSON.stringify(scene.stub.requests[1]?.body)).toContain("nothing was found");
  });

  it("never show what is private, off the record, or masked", async () => {
    const scene = await world();
    await scene.remember(SQUASH);
    const token = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
    const startAt = scene.clock.now() - 3_600_000;
    scene.session(
      sessionIdOf(1),
      createTranscript({ startAt, firstNumber: 1 })
        .user(`Zebra one <private>zebra two</private> ${token}`)
        .assistant("ok"),
    );
    scene.session(
      sessionIdOf(2),
      createTranscript({ startAt, firstNumber: 50, sessionId: sessionIdOf(2) })
        .user("Zebra three.")
        .assistant("ok")
        .user("From here on this is off the record.")
        .assistant("ok"),
    );
    scene.stub.reply(
      answer(
        call("search_sessions", { text: "zebra" }),
        call("search_sessions", { text: token.slice(0, 12) }),
      ),
      DONE,
    );

    await scene.dream();

    const shown = JSON.stringify(scene.stub.requests[1]?.body);
    expect(shown).toContain("Zebra one");
    expect(shown).not.toContain("zebra two");
    expect(shown).not.toContain("Zebra three");
    expect(shown).not.toContain(token);
    expect(shown).toContain("nothing was found");
  });

  it("make no new memory: that is the extraction's work", async () => {
    const scene = await world();
    await scene.remember(SQUASH);
    scene.session(
      sessionIdOf(1),
      createTranscript({ startAt: scene.clock.now() - 3_600_000 })
        .user(words)
        .assistant("Yes."),
    );
    const write = call("write", {
      file: "project_port.md",
      name: "port",
      description: "The shop listens on port 4200.",
      type: "project",
      body: withReasons("The shop listens on port 4200 since the move."),
      evidence: [{ recordId: recordIdOf(1), quote: words }],
    });
    scene.stub.reply(answer(call("search_sessions", { text: "port 4200" })), answer(write), DONE);

    expect(await scene.dream()).toMatchObject({ outcome: "succeeded", changes: [] });
    expect(scene.contents()["project_port.md"]).toBeUndefined();
  });
});

describe("a dry run", () => {
  it("asks the model, shows the diff and changes nothing, not even whose turn it is", async () => {
    const scene = await world();
    await scene.remember(SQUASH, SQUASH_AGAIN, ...FILLERS);
    const before = scene.temp.tree();
    const contents = scene.contents();
    scene.stub.reply(answer(MERGED, GONE));

    const reply = await scene.dream({ dryRun: true });

    expect(reply).toMatchObject({ outcome: "succeeded", after: { files: 9 } });
    expect(reply.diff).toContain(`--- ${SQUASH.file}`);
    expect(scene.contents()).toEqual(contents);
    expect(scene.temp.tree()).toEqual(before);
    expect(scene.lastSuccessAt()).toBeUndefined();
  });
});
