// The turn loop, rule by rule.
import { describe, expect, it } from "vitest";
import { MODEL_LIMITS, RUN_LIMITS } from "../../../../src/domain/limits.ts";
import { AppError } from "../../../../src/domain/errors.ts";
import type { ModelMessage, ModelUsage } from "../../../../src/domain/models.ts";
import { modelFailure } from "../../../../src/learn/models/failure.ts";
import {
  type RunLimits,
  type RunOptions,
  runModel,
  type TurnReport,
} from "../../../../src/learn/runs/run.ts";
import { sizeOfMessage, sizeOfPrefix } from "../../../../src/learn/runs/spending.ts";
import { MEMORY_TOOLS } from "../../../../src/learn/runs/tools/registry.ts";
import { success, type Tool } from "../../../../src/learn/runs/tools/tool.ts";
import { tokens } from "../../memory/secrets/made-up-tokens.ts";
import { DEPLOY, memoryOf, stageOf, TABS } from "./folder.ts";
import type { ScriptedClient } from "../../../../src/learn/models/scripted/index.ts";
import { asks, call, resultsIn, says, scripted, turnOf, used } from "./scripted-client.ts";

const LIMITS: RunLimits = { turnsMax: 5, inputTokensMax: 1_000_000 };

function start(client: ScriptedClient, options: Partial<RunOptions> = {}) {
  const request = { model: "small-1", system: "You keep memories.", prompt: "What was said: ..." };
  const run = { request, tools: MEMORY_TOOLS, ...options };
  const specs = run.tools.map(({ spec }) => spec);
  return runModel({
    client,
    stage: stageOf(),
    limits: LIMITS,
    signal: new AbortController().signal,
    prefix: sizeOfPrefix(run.request.system, specs),
    ...run,
  });
}

const tool = (name: string, run: Tool["run"], writes = false): Tool => ({
  spec: { name, description: name, inputSchema: { type: "object" } },
  writes,
  run,
});

describe("how a run ends", () => {
  it("ends with an answer that asks for nothing", async () => {
    const client = scripted(says("nothing to keep"));

    const result = await start(client);

    expect(result).toMatchObject({ outcome: "finished", requests: 1, changes: [], denied: [] });
  });

  it("ends without another request when every call was a successful write", async () => {
    const client = scripted(asks(call("write", TABS), call("write", DEPLOY)));

    const result = await start(client);

    expect(client.requests).toHaveLength(1);
    expect(result.outcome).toBe("finished");
    expect(result.changes.map(({ op, file }) => `${op} ${file}`)).toEqual([
      "create user_tabs.md",
      "create reference_deploy.md",
    ]);
  });

  it("goes on when a successful write stood beside a read", async () => {
    const client = scripted(asks(call("write", TABS), call("glob", { pattern: "*" })), says("done"));

    await start(client);

    expect(client.requests).toHaveLength(2);
    expect(resultsIn(client, 1).map(({ text }) => text)).toEqual(["user_tabs.md: new", "user_tabs.md"]);
  });

  it("lets the model mend a refused write in its next turn", async () => {
    const unsupported = { ...TABS, evidence: [{ recordId: "r1", quote: "use spaces" }] };
    const client = scripted(asks(call("write", unsupported)), asks(call("write", TABS)));
    const stage = stageOf();

    const result = await start(client, { stage });

    expect(resultsIn(client, 1)).toMatchObject([{ isError: true }]);
    expect(resultsIn(client, 1)[0]?.text).toContain("copy the words exactly");
    expect(result).toMatchObject({ outcome: "finished", requests: 2 });
    expect(result.changes).toHaveLength(1);
    expect(stage.refused()).toEqual([]);
  });

  it("ends when the provider declines, without performing anything", async () => {
    const client = scripted(turnOf([call("write", TABS)], "refused"));

    const result = await start(client);

    expect(result).toMatchObject({ outcome: "refused", requests: 1, changes: [] });
  });

  it("keeps what was accepted before the provider declined", async () => {
    const client = scripted(
      asks(call("write", TABS), call("glob", { pattern: "*" })),
      says("I cannot", "refused"),
    );

    expect((await start(client)).changes).toHaveLength(1);
  });
});

describe("the bound on turns", () => {
  it("sends no request beyond it, and performs the calls of the last answer", async () => {
    const ask = asks(call("glob", { pattern: "*" }));
    const client = scripted(ask, ask, asks(call("write", TABS), call("glob", { pattern: "*" })));

    const result = await start(client, { limits: { ...LIMITS, turnsMax: 3 } });

    expect(result).toMatchObject({ outcome: "turn-limit", requests: 3 });
    expect(client.requests).toHaveLength(3);
    expect(result.changes).toHaveLength(1);
  });

  it("is not reached by a last answer that ends the run", async () => {
    const client = scripted(asks(call("glob", { pattern: "*" })), asks(call("write", TABS)));

    expect((await start(client, { limits: { ...LIMITS, turnsMax: 2 } })).outcome).toBe("finished");
  });

  it("of zero sends nothing", async () => {
    const client = scripted();

    expect((await start(client, { limits: { ...LIMITS, turnsMax: 0 } })).outcome).toBe("turn-limit");
    expect(client.requests).toHaveLength(0);
  });
});

describe("the bound on input tokens", () => {
  const request = { model: "m", system: "s".repeat(400), prompt: "p".repeat(4_000) };
  /** 100 + 1 for "[]" + 1,000. */
  const FIRST = 1_101;

  it("lets a request through that reaches it exactly, and none that passes it by one", async () => {
    const exact = await start(scripted(), {
      request,
      tools: [],
      limits: { ...LIMITS, inputTokensMax: FIRST },
    });
    const client = scripted();
    const over = await start(client, {
      request,
      tools: [],
      limits: { ...LIMITS, inputTokensMax: FIRST - 1 },
    });

    expect(exact.outcome).toBe("finished");
    expect(over).toMatchObject({ outcome: "token-limit", requests: 0, inputTokens: 0 });
    expect(client.requests).toHaveLength(0);
  });

  it("counts what earlier runs of the job took", async () => {
    const limits = { ...LIMITS, inputTokensMax: FIRST + 50, spentTokens: 51 };

    expect((await start(scripted(), { request, tools: [], limits })).outcome).toBe("token-limit");
  });

  it("counts what was really read, cache reads included, and corrects the next estimate by it", async () => {
    // Twice as many tokens as estimated: the second request counts as at least 2 x FIRST.
    const usage = used(202, { cacheReadTokens: 1_000, cacheWriteTokens: 1_000 });
    const turns = () => scripted({ ...says("cut", "length"), usage }, says("done"));
    const spent = 2 * FIRST;
    // The second request holds the prompt, "cut" and our note.
    const second = FIRST + Math.ceil("cut".length / 4) + 21;
    const limits = { ...LIMITS, inputTokensMax: spent + 2 * second };

    const fits = await start(turns(), { request, tools: [], limits });
    const over = await start(turns(), {
      request,
      tools: [],
      limits: { ...limits, inputTokensMax: limits.inputTokensMax - 1 },
    });

    expect(fits).toMatchObject({ outcome: "finished", requests: 2 });
    expect(over).toMatchObject({ outcome: "token-limit", requests: 1, inputTokens: spent });
  });

  it("counts the estimate where a provider tells no usage", async () => {
    const ask = { ...asks(call("glob", { pattern: "*" })), usage: used(0) };
    const client = scripted(ask, ask, ask, ask);

    const result = await start(client, {
      request,
      limits: { turnsMax: 50, inputTokensMax: 6_000 },
    });

    expect(result.outcome).toBe("token-limit");
    expect(result.inputTokens).toBeGreaterThan(2 * FIRST);
  });
});

describe("leave to ask", () => {
  const search = asks(call("glob", { pattern: "*" }));

  it("is asked for each request, and its end sends no further one", async () => {
    const sent: number[] = [];
    const client = scripted(search, search, asks(call("write", TABS)));

    const result = await start(client, {
      allow: () => sent.push(client.requests.length) < 3,
    });

    expect(sent).toEqual([0, 1, 2]);
    expect(client.requests).toHaveLength(2);
    expect(result).toMatchObject({ outcome: "not-allowed", requests: 2 });
  });

  it("that is refused at once sends nothing", async () => {
    const client = scripted();

    expect(await start(client, { allow: () => false })).toMatchObject({
      outcome: "not-allowed",
      requests: 0,
      inputTokens: 0,
    });
    expect(client.requests).toHaveLength(0);
  });

  it("is not asked for a request that is not sent: no turn, no tokens, an abort, nothing left to say", async () => {
    let asked = 0;
    const allow = () => (asked += 1) > 0;
    const stopped = AbortSignal.abort(new Error("stopping"));

    await start(scripted(), { allow, limits: { ...LIMITS, turnsMax: 0 } });
    await start(scripted(), { allow, limits: { ...LIMITS, inputTokensMax: 1 } });
    await expect(start(scripted(), { allow, signal: stopped })).rejects.toThrow("stopping");
    expect(asked).toBe(0);
    await start(scripted(asks(call("write", TABS))), { allow });

    expect(asked).toBe(1);
  });
});

describe("the calls of one answer", () => {
  it("are performed in order and answered in one message", async () => {
    const calls = [
      call("write", TABS),
      call("read", { file: TABS.file }),
      call("grep", { pattern: "nowhere" }),
    ];
    const client = scripted(asks(...calls), says("done"));

    await start(client);

    const last = client.requests[1]?.messages;
    expect(last).toHaveLength(3);
    expect(last?.[2]?.blocks.map((block) => "callId" in block && block.callId)).toEqual(
      calls.map(({ id }) => id),
    );
    // The read came after the write and sees it.
    expect(resultsIn(client, 1)[1]?.text).toContain(TABS.body);
  });

  it("change no file that was only read in the same answer: what it says has not been seen", async () => {
    const known = memoryOf(DEPLOY.file, { body: "Deploy every Thursday.\n\nThe branch is main." });
    const change = { file: known.file, old: "Thursday", new: "Friday", evidence: DEPLOY.evidence };
    const read = () => call("read", { file: known.file });
    const client = scripted(
      asks(read(), call("write", DEPLOY)),
      asks(read(), call("edit", { ...change, old: "nowhere" })),
      asks(call("edit", change)),
    );
    const blind = scripted(asks(read(), call("edit", change)), says("done"));

    const result = await start(client, { stage: stageOf([known]) });
    const unseen = await start(blind, { stage: stageOf([known]) });

    expect(resultsIn(client, 1).map(({ isError }) => isError)).toEqual([false, true]);
    expect(resultsIn(client, 1)[1]?.text).toContain("not seen this file");
    // By then it has been, although it is asked for once more.
    expect(resultsIn(client, 2)[1]?.text).toContain("copy it exactly");
    expect(result.changes).toMatchObject([
      { op: "update", memory: { body: "Deploy every Friday.\n\nThe branch is main." } },
    ]);
    expect(unseen.changes).toEqual([]);
  });

  it("are refused beyond the bound, also ten thousand of them", async () => {
    const writes = Array.from({ length: 10_000 }, (_, n) => call("write", { ...TABS, file: `user_${n}.md` }));
    const client = scripted(asks(...writes), says("done"));

    const result = await start(client);

    const results = resultsIn(client, 1);
    expect(results).toHaveLength(10_000);
    expect(results.slice(RUN_LIMITS.callsPerTurnMax).every(({ isError }) => isError)).toBe(true);
    expect(result.changes).toHaveLength(1);
    expect(result.denied).toEqual([{ tool: "write", why: "too-many-calls" }]);
  });

  it("go to the model as errors when the tool is unknown, whatever its name", async () => {
    const names = ["bash", "constructor", "__proto__", "x\u001b[2J".repeat(100), tokens.github()];
    const client = scripted(asks(...names.map((name) => call(name, {}))), says("sorry"));

    const result = await start(client);

    expect(resultsIn(client, 1).every(({ isError, text }) => isError && text.includes("no such tool"))).toBe(
      true,
    );
    // A name may be anybody's words, and this goes into a log.
    expect(result.denied).toEqual(names.map(() => ({ tool: "unknown", why: "unknown-tool" })));
  });

  it("are not performed when their arguments are no JSON object", async () => {
    const client = scripted(asks(call("glob", undefined)), says("done"));

    await start(client);

    expect(resultsIn(client, 1)).toMatchObject([{ isError: true }]);
    expect(resultsIn(client, 1)[0]?.text).toContain("no valid JSON");
  });

  it("may use tools of a job, whose answers are masked and bounded too", async () => {
    const leak = tool("leak", () => success(`${tokens.github()} \u001b[2J ${"x".repeat(100_000)}`));
    const client = scripted(asks(call("leak", {})), says("done"));

    await start(client, { tools: [...MEMORY_TOOLS, leak] });

    const text = resultsIn(client, 1)[0]?.text ?? "";
    expect(text.length).toBeLessThanOrEqual(RUN_LIMITS.toolResultCharsMax);
    expect(text).toContain("[secret:");
    // oxlint-disable-next-line no-control-regex -- that none is left is the point
    expect(text).not.toMatch(/\u001b/u);
  });

  it("make the run reject when a tool does", async () => {
    const broken = tool("broken", () => Promise.reject(new Error("disk gone")));

    await expect(start(scripted(asks(call("broken", {}))), { tools: [broken] })).rejects.toThrow("disk gone");
  });
});

describe("a cut answer", () => {
  it("never has its last call performed, even with arguments that read as whole", async () => {
    const client = scripted(turnOf([call("write", TABS), call("write", DEPLOY)], "length"), says("done"));

    const result = await start(client);

    expect(result.changes.map(({ file }) => file)).toEqual([TABS.file]);
    const answer = client.requests[1]?.messages.at(-1)?.blocks ?? [];
    expect(answer.map((block) => block.kind)).toEqual(["tool-result", "tool-result", "text"]);
    expect(resultsIn(client, 1)[1]).toMatchObject({ isError: true });
  });

  it("goes on although all its calls were writes, because more was to come", async () => {
    const blocks = [call("write", TABS), { kind: "text", text: "and now" } as const];
    const client = scripted(turnOf(blocks, "length"), asks(call("write", DEPLOY)));

    const result = await start(client);

    expect(result).toMatchObject({ outcome: "finished", requests: 2 });
    expect(result.changes).toHaveLength(2);
  });

  it("ends the run as `length` when no turn is left, or when it is empty", async () => {
    const limits = { ...LIMITS, turnsMax: 1 };

    expect((await start(scripted(says("so", "length")), { limits })).outcome).toBe("length");
    expect((await start(scripted(turnOf([], "length")))).outcome).toBe("length");
  });
});

const tokensWith = (sum: number, message: ModelMessage) => sum + sizeOfMessage(message).tokens;

describe("a run that breaks", () => {
  it("rejects with the client's error and has told what it cost until then", async () => {
    const seen: [ModelUsage, string][] = [];
    const client = scripted(asks(call("glob", { pattern: "*" })), new Error("connection lost"));

    const run = start(client, { onUsage: (usage, model) => void seen.push([usage, model]) });

    await expect(run).rejects.toThrow("connection lost");
    expect(seen).toEqual([[used(10), "scripted-1"]]);
  });

  it.each(["model-stream-cut", "model-timeout", "model-answer-unusable"])(
    "tells the estimate of a request that failed with %s: it may be billed",
    async (code) => {
      const seen: [ModelUsage, string][] = [];
      const client = scripted(new AppError({ code, message: "broke" }));

      const run = start(client, { onUsage: (usage, model) => void seen.push([usage, model]) });

      await expect(run).rejects.toMatchObject({ code });
      const { system = "", tools = [], messages = [] } = client.requests[0] ?? {};
      const inputTokens = sizeOfPrefix(system, tools).tokens + messages.reduce(tokensWith, 0);
      expect(inputTokens).toBeGreaterThan(500);
      expect(seen).toEqual([[used(inputTokens, { outputTokens: 0 }), "small-1"]]);
    },
  );

  it("tells it by what the failure knows, where that is more than its code says", async () => {
    const told = async (processed: boolean) => {
      let times = 0;
      const failure = modelFailure("model-overloaded", { detail: "host", processed });
      const run = start(scripted(failure), { onUsage: () => void (times += 1) });
      await expect(run).rejects.toBe(failure);
      return times;
    };

    expect(await told(true)).toBe(1);
    expect(await told(false)).toBe(0);
  });

  it("tells nothing of a request that was refused or never reached its server", async () => {
    const free = ["model-unreachable", "model-key-missing", "model-rate-limited", "model-request-rejected"];
    let told = 0;
    for (const code of free) {
      const client = scripted(new AppError({ code, message: "broke" }));
      await expect(start(client, { onUsage: () => void (told += 1) })).rejects.toMatchObject({ code });
    }

    expect(told).toBe(0);
  });

  it("tells the estimate, corrected by earlier answers, of a request that was aborted", async () => {
    const control = new AbortController();
    const seen: number[] = [];
    const client = scripted({ ...asks(call("glob", { pattern: "*" })), usage: used(4_000) }, () => {
      control.abort(new Error("stopping"));
      return new Error("stopping");
    });

    const run = start(client, {
      signal: control.signal,
      onUsage: ({ inputTokens }) => void seen.push(inputTokens),
    });

    await expect(run).rejects.toThrow("stopping");
    expect(seen[0]).toBe(4_000);
    expect(seen[1]).toBeGreaterThan(4_000);
    expect(seen).toHaveLength(2);
  });

  it("rejects with the signal's reason before, during and after a request", async () => {
    const reason = new Error("stopping");
    const early = AbortSignal.abort(reason);
    const during = new AbortController();
    const client = scripted();
    let told = 0;

    await expect(start(client, { signal: early })).rejects.toBe(reason);
    expect(client.requests).toHaveLength(0);
    const stage = stageOf();
    const run = start(
      scripted(() => {
        during.abort(reason);
        return asks(call("write", TABS));
      }),
      { signal: during.signal, stage, onUsage: () => void (told += 1) },
    );
    await expect(run).rejects.toBe(reason);
    expect(stage.changes()).toEqual([]);
    expect(told).toBe(1);
  });

  it("rejects also when the answer that came too late asks for nothing", async () => {
    const control = new AbortController();
    const late = scripted(() => {
      control.abort(new Error("too late"));
      return says("nothing to keep");
    });

    await expect(start(late, { signal: control.signal })).rejects.toThrow("too late");
  });

  it("stops between two calls of one answer", async () => {
    const control = new AbortController();
    const stopper = tool("stopper", () => {
      control.abort(new Error("enough"));
      return success("stopped");
    });
    const stage = stageOf();
    const client = scripted(asks(call("stopper", {}), call("write", TABS)));

    const run = start(client, { stage, tools: [...MEMORY_TOOLS, stopper], signal: control.signal });

    await expect(run).rejects.toThrow("enough");
    expect(stage.changes()).toEqual([]);
  });
});

describe("what a run tells", () => {
  it("sums usage and reports each answer without anybody's words", async () => {
    const reports: TurnReport[] = [];
    const client = scripted(
      { ...asks(call("read", { file: "~/.ssh/id_rsa" })), usage: used(5, { cacheReadTokens: 7 }) },
      { ...asks(call("write", TABS)), usage: used(3, { cacheWriteTokens: 2, outputTokens: 4 }) },
    );

    const result = await start(client, { observe: (report) => void reports.push(report) });

    expect(result.usage).toEqual({
      inputTokens: 8,
      cacheReadTokens: 7,
      cacheWriteTokens: 2,
      outputTokens: 5,
    });
    expect(result.inputTokens).toBe(17);
    expect(result.denied).toEqual([{ tool: "read", why: "bad-path" }]);
    expect(reports).toEqual([
      { turn: 1, stop: "tools", calls: 1, errors: 1, denied: [{ tool: "read", why: "bad-path" }] },
      { turn: 2, stop: "tools", calls: 1, errors: 0, denied: [] },
    ]);
  });

  it("tells and sums the figures that can be true, not those of the provider", async () => {
    const seen: ModelUsage[] = [];
    const silent = used(-5, { outputTokens: 0 });
    const client = scripted(
      { ...asks(call("glob", { pattern: "*" })), usage: used(1e15, { outputTokens: 1e15 }) },
      { ...says("That is all there is to keep of it."), usage: silent },
    );

    const result = await start(client, { onUsage: (usage) => void seen.push(usage) });

    const [first, second] = seen;
    expect(first?.inputTokens).toBeLessThan(10_000);
    expect(first?.outputTokens).toBe(MODEL_LIMITS.outputTokensMax + 100);
    expect(second?.inputTokens).toBeGreaterThan(500);
    expect(second?.outputTokens).toBe(9);
    expect(result.inputTokens).toBe((first?.inputTokens ?? 0) + (second?.inputTokens ?? 0));
    expect(result.usage.inputTokens).toBe(result.inputTokens);
  });

  it("sends the same system text and tools with every request, so that a provider can cache them", async () => {
    const client = scripted(asks(call("glob", { pattern: "*" })), says("done"));

    await start(client, { stage: stageOf([memoryOf("project_build.md")]) });

    const [first, second] = client.requests;
    expect(JSON.stringify([second?.system, second?.tools])).toBe(
      JSON.stringify([first?.system, first?.tools]),
    );
    expect(second?.messages[0]).toEqual(first?.messages[0]);
    expect(first?.messages).toHaveLength(1);
  });
});
