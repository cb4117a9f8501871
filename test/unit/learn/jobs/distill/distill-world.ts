// A memory folder, its logs and a distillation over both: real files, the real writer and lock, the real SDK against a
// scripted server.
import { readFileSync, utimesSync } from "node:fs";
import type { AgentId } from "../../../../../src/domain/sessions.ts";
import type { ConsolidationReply } from "../../../../../src/domain/consolidation.ts";
import type { DistillAsk, DistillDeps, DistillRan } from "../../../../../src/learn/jobs/distill/contract.ts";
import { createDistillJob } from "../../../../../src/learn/jobs/distill/index.ts";
import type { ModelReader } from "../../../../../src/learn/jobs/model-reader.ts";
import { createBudget } from "../../../../../src/learn/models/budget.ts";
import type { FolderView } from "../../../../../src/memory/files/store.ts";
import { readFolder } from "../../../../../src/memory/files/store.ts";
import type { Offered } from "../../../../../src/memory/inbox/items.ts";
import { createFiles, type FileOps } from "../../../../../src/system/files.ts";
import { openFolder } from "../../../../../src/system/folder.ts";
import type { StubCall, StubReply, StubRequest } from "../../../../helpers/model-stub.ts";
import { createTempFolder } from "../../../../helpers/temp-folder.ts";
import { createBench, PROJECT, TODAY } from "../../../memory/journal/bench.ts";
import type { Scene } from "../../models/client.ts";
import { createHoldsBench } from "../holds-bench.ts";

export { PROJECT, TODAY };
export const HOUR_MS = 3_600_000;
export const DONE: StubReply = { blocks: ["Nothing to keep."] };
export const answer = (...calls: readonly StubCall[]): StubReply => ({ blocks: calls });

/** The id of the line that holds these words, as the request shows it. */
export function idOf(request: StubRequest, words: string): string {
  const text = JSON.stringify(request.body["messages"]).replaceAll(String.raw`\n`, "\n");
  const line = text.split("\n").find((each) => each.includes(words) && each.startsWith("log-"));
  return /^log-\d{8}-[0-9a-f]{10}/u.exec(line ?? "")?.[0] ?? "no such line";
}

export function write(wish: {
  readonly file: string;
  readonly type: string;
  readonly body: string;
  readonly evidence: readonly { readonly recordId: string; readonly quote: string }[];
}): StubCall {
  const name = wish.file.replace(/\.md$/u, "").replaceAll("_", "-");
  const description = wish.body.split("\n")[0] ?? "";
  return { tool: "write", input: { name, description, ...wish } };
}

const LIMITS = {
  tokensPerDay: 100_000_000,
  usdPerDay: 1_000,
  usdPerMonth: 1_000,
  runsPerHour: 1_000,
} as unknown as ReturnType<Parameters<typeof createBudget>[0]["limits"]>;

export interface WorldOptions {
  readonly deps?: Partial<DistillDeps>;
  /** Null: no model may read. */
  readonly reader?: Partial<ModelReader> | null;
  /** Agents whose words the model may read; default: all. */
  readonly mayRead?: readonly AgentId[];
  readonly limits?: Partial<typeof LIMITS>;
  readonly ops?: FileOps;
}

export function createDistillWorld(scene: Scene, options: WorldOptions = {}) {
  const { clock, client, stub } = scene;
  const temp = createTempFolder();
  const bench = createBench(temp, { clock });
  const holdsBench = createHoldsBench(temp, clock);
  const { holds } = holdsBench.start();
  const files = createFiles(options.ops);
  const reader: ModelReader = {
    client,
    model: "claude-sonnet-4-5",
    turnsMax: 10,
    inputTokensMax: 120_000,
    newTokensMin: 0,
    maxWaitMs: 0,
    held: () => undefined,
    usdOf: () => 0.001,
    ...options.reader,
  };
  const limits = { ...LIMITS, ...options.limits };
  const budget = createBudget({ clock, ledger: { since: () => [] }, limits: () => limits });
  const ran: DistillRan[] = [];
  const kept: Offered[] = [];
  const deps: DistillDeps = {
    files,
    clock,
    emitter: bench.emitter,
    stateDir: bench.stateDir,
    holds,
    today: () => TODAY,
    viewOf,
    preview: bench.writer.preview,
    ownBullets: bench.writer.ownBullets,
    isIgnored: () => false,
    finishOpen: bench.writer.finishOpen,
    commit: (set, rest) => bench.writer.commit(set, { ...rest, today: TODAY }),
    rehearse: (set, rest) => bench.writer.rehearse(set, { ...rest, today: TODAY }),
    patchOf: (file, before, after) => Promise.resolve(`--- ${file}\n-${before}\n+${after}\n`),
    keepForReview: (_, offered) => kept.push(...offered),
    readerFor: (agent) =>
      options.reader === null || options.mayRead?.includes(agent) === false ? undefined : reader,
    openAccount: budget.open,
    ran: (job) => void ran.push(job),
    ...options.deps,
  };
  const job = createDistillJob(deps);
  let runs = 0;
  return {
    ...scene,
    temp,
    bench,
    ran,
    kept,
    holds,
    lock: holdsBench.lock,
    log: (path: string, text: string, hoursAgo = 1): string => {
      const full = temp.write(`memory/logs/${path}`, text);
      const at = (clock.now() - hoursAgo * HOUR_MS) / 1_000;
      utimesSync(full, at, at);
      return full;
    },
    /** As `engramd log` does; the log is then as old as asked. */
    async note(text: string, hoursAgo = 1): Promise<string> {
      const bullet = { text, by: "user", agent: "claude-code", records: [] } as const;
      const { path } = await bench.writer.appendLog(bench.memoryDir, [bullet]);
      const at = (clock.now() - hoursAgo * HOUR_MS) / 1_000;
      utimesSync(path, at, at);
      return path;
    },
    logs(): string[] {
      return temp
        .tree()
        .filter((name) => name.startsWith("memory/logs/") && name.endsWith(".md"))
        .map((name) => `${name}\n${readFileSync(temp.at(name), "utf8")}`);
    },
    memories(): string[] {
      return Object.keys(bench.contents()).filter((name) => name.endsWith(".md") && name !== "MEMORY.md");
    },
    prompts: () => stub.requests.map((request) => JSON.stringify(request.body["messages"])),
    distil(ask: Partial<DistillAsk> = {}): Promise<ConsolidationReply> {
      runs += 1;
      return job.run({
        memoryDir: bench.memoryDir,
        projects: [PROJECT],
        trigger: "test",
        run: `20260504T100000000-${String(runs).padStart(8, "0")}`,
        signal: new AbortController().signal,
        ...ask,
      });
    },
  };
}

function viewOf(memoryDir: string): FolderView | undefined {
  const folder = openFolder(createFiles(), memoryDir);
  try {
    return folder === undefined ? undefined : readFolder(folder);
  } finally {
    folder?.close();
  }
}
