// A memory folder, its sessions and a dream over both: real files, the real writer and lock, the real SDK against a
// scripted server. Memories are short sentences; ids of records are made from the names of the files.
import { utimesSync } from "node:fs";
import { join } from "node:path";
import type { ConsolidationReply } from "../../../../../src/domain/consolidation.ts";
import type { MemoryDraft } from "../../../../../src/domain/memories.ts";
import type { ProjectRef } from "../../../../../src/domain/sessions.ts";
import { createFormats } from "../../../../../src/intake/agents/registry.ts";
import { createCursors } from "../../../../../src/intake/transcripts/cursors.ts";
import { createCatalog } from "../../../../../src/intake/watch/catalog.ts";
import type { DreamAsk, DreamDeps } from "../../../../../src/learn/jobs/consolidate/contract.ts";
import { createDreamJob } from "../../../../../src/learn/jobs/consolidate/index.ts";
import type { ModelReader, RunEnd } from "../../../../../src/learn/jobs/model-reader.ts";
import { createBudget } from "../../../../../src/learn/models/budget.ts";
import { type FolderView, readFolder } from "../../../../../src/memory/files/store.ts";
import { createFiles, type Files } from "../../../../../src/system/files.ts";
import { openFolder } from "../../../../../src/system/folder.ts";
import type { TranscriptBuilder } from "../../../../helpers/claude-transcript.ts";
import type { StubCall, StubReply } from "../../../../helpers/model-stub.ts";
import { createTempFolder } from "../../../../helpers/temp-folder.ts";
import { createBench, createOf, PROJECT, SAID_AT, said, TODAY } from "../../../memory/journal/bench.ts";
import type { Scene } from "../../models/client.ts";
import { createHoldsBench, HOST } from "../holds-bench.ts";

export { SAID_AT, TODAY };
export const DAY_MS = 86_400_000;

/** A memory as a model writes it, of a type that needs reasons. */
export function withReasons(statement: string): string {
  return `${statement}\n\n**Why:** not said.\n**How to apply:** in this project.`;
}

export interface Planted {
  readonly file: string;
  readonly text: string;
  readonly type?: MemoryDraft["type"];
  /** Days before the dream. */
  readonly daysAgo?: number;
  readonly recordId?: string;
}

/** A quote of a memory, as a model sends it. */
export function quoting(file: string, quote: string) {
  return { recordId: file, quote };
}

export const call = (tool: string, input: unknown): StubCall => ({ tool, input });
export const answer = (...calls: readonly StubCall[]): StubReply => ({ blocks: calls });
export const DONE: StubReply = { blocks: ["Done."] };

const LIMITS = {
  tokensPerDay: 10_000_000,
  usdPerDay: 1_000,
  usdPerMonth: 1_000,
  runsPerHour: 100,
} as unknown as ReturnType<Parameters<typeof createBudget>[0]["limits"]>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface WorldOptions {
  readonly tidying?: DreamDeps["tidying"];
  readonly deps?: Partial<DreamDeps>;
  readonly reader?: Partial<ModelReader>;
  /** Ceilings of the budget. */
  readonly limits?: { readonly tokensPerDay?: number };
  /** The project has a folder on this machine. */
  readonly isPresent?: boolean;
}

const NO_TIDYING: DreamDeps["tidying"] = {
  doubles: () => new Set(),
  run: () => Promise.resolve({ changes: [], noted: [], diff: "" }),
};

export function createDreamWorld(scene: Scene, options: WorldOptions = {}) {
  const { clock, client, stub } = scene;
  const temp = createTempFolder();
  const bench = createBench(temp, { clock });
  const holdsBench = createHoldsBench(temp, clock);
  const { holds } = holdsBench.start();
  const files = createFiles();
  const root = temp.folder("shop");
  const project: ProjectRef = {
    ...PROJECT,
    root,
    agentHome: temp.folder(".claude"),
    present: options.isPresent !== false,
  };
  const formats = createFormats({ files, oursUnder: [], isUrgent: () => false });
  const catalog = createCatalog({
    files,
    cursors: createCursors({ files, stateDir: temp.at("state") }),
    formats,
    roots: formats.flatMap((format) => format.roots({ home: temp.path, claudeHomes: [temp.at(".claude")] })),
    projectOf: () => project,
    firstSight: () => "read",
  });
  const reader: ModelReader = {
    client,
    model: "claude-sonnet-4-5",
    turnsMax: 25,
    inputTokensMax: 400_000,
    newTokensMin: 0,
    maxWaitMs: 0,
    held: () => undefined,
    usdOf: () => 0.001,
    ...options.reader,
  };
  const limits = { ...LIMITS, ...options.limits };
  const budget = createBudget({ clock, ledger: { since: () => [] }, limits: () => limits });
  const ends: RunEnd[] = [];
  const phases: string[] = [];
  bench.emitter.on("dream:advanced", ({ phase }) => void phases.push(phase));
  const deps: Mutable<DreamDeps> = {
    clock,
    emitter: bench.emitter,
    files,
    holds,
    catalog,
    tidying: options.tidying ?? NO_TIDYING,
    programFolders: () => [temp.folder("bin")],
    today: () => TODAY,
    isIgnored: () => false,
    mayRead: () => true,
    modelFor: () => reader,
    openAccount: budget.open,
    preview: bench.writer.preview,
    viewOf: (memoryDir) => viewOf(files, memoryDir),
    finishOpen: bench.writer.finishOpen,
    commit: (set, rest) => bench.writer.commit(set, { ...rest, today: TODAY, lossShareMax: 0.25 }),
    rehearse: (set, rest) => bench.writer.rehearse(set, { ...rest, today: TODAY, lossShareMax: 0.25 }),
    patchOf: (file, before, after) => Promise.resolve(`--- ${file}\n-${before}\n+${after}\n`),
    finishRun: (_, __, end) => void ends.push(end),
    ...options.deps,
  };
  const job = createDreamJob(deps);
  return {
    ...scene,
    temp,
    bench,
    root,
    project,
    /** What the dream is made of; a test may put another part in. */
    deps,
    catalog,
    ends,
    phases,
    lock: holdsBench.lock,
    /** Another process puts its id into the host's lock. */
    plantLock: () => holdsBench.plant(String(HOST), 0),
    stub,
    holds,
    /** A dream that found nothing to do. */
    async succeedAt(at: number) {
      const now = clock.now();
      clock.setWall(at);
      const taken = await holds.take({ memoryDir: bench.memoryDir, run: "before", kind: "dream" });
      if ("blocked" in taken) throw new Error("blocked");
      await taken.hold.succeed();
      clock.setWall(now);
    },
    lastSuccessAt: () => holds.lastSuccessAt(bench.memoryDir),
    /** As if somebody had said it. */
    async remember(...memories: readonly Planted[]) {
      for (let at = 0; at < memories.length; at += 40) {
        const changes = memories
          .slice(at, at + 40)
          .map(({ file, text, type = "project", daysAgo = 1, recordId }) => {
            const name = file.replace(/\.md$/u, "").replaceAll("_", "-");
            const isShort = type === "user" || type === "reference";
            const body = isShort ? text : withReasons(text);
            const create = createOf(file, text, { memory: { name, type, body } });
            const when = clock.now() - daysAgo * DAY_MS;
            return { ...create, evidence: [said(recordId ?? `record-of-${name}`, text, { at: when })] };
          });
        const { verdicts } = await bench.commit(changes);
        for (const verdict of verdicts) {
          if (!verdict.accepted)
            throw new Error(`${verdict.change.file}: ${verdict.reason}, ${verdict.message}`);
        }
      }
    },
    session(id: string, transcript: TranscriptBuilder, hoursAgo = 1): void {
      const path = temp.write(`.claude/projects/-shop/${id}.jsonl`, transcript.text());
      const at = (clock.now() - hoursAgo * 3_600_000) / 1_000;
      utimesSync(path, at, at);
      catalog.lookAt(path);
    },
    /** A file of the project, changed so many days before the dream. */
    projectFile(name: string, text: string, daysAgo = 0): void {
      const path = temp.write(join("shop", name), text);
      const at = (clock.now() - daysAgo * DAY_MS) / 1_000;
      utimesSync(path, at, at);
    },
    /** Memory files and the index; the host's lock is told apart. */
    contents(): Record<string, string> {
      const { ".consolidate-lock": _, ...rest } = bench.contents();
      return rest;
    },
    dream(ask: Partial<DreamAsk> = {}): Promise<ConsolidationReply> {
      const run = `20260504T100000000-${String(ends.length).padStart(8, "0")}`;
      const signal = new AbortController().signal;
      return job.run({
        memoryDir: bench.memoryDir,
        projects: [project],
        trigger: "test",
        run,
        signal,
        ...ask,
      });
    },
  };
}

function viewOf(files: Files, memoryDir: string): FolderView | undefined {
  const folder = openFolder(files, memoryDir);
  try {
    return folder === undefined ? undefined : readFolder(folder);
  } finally {
    folder?.close();
  }
}

export type DreamWorld = ReturnType<typeof createDreamWorld>;
