// A memory folder, a state folder and a writer over real files, with a lock that only lives in this process.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ChangeSet, Evidence, MemoryChange, Producer } from "../../../../src/domain/changes.ts";
import type { MemoryDraft } from "../../../../src/domain/memories.ts";
import type { ProjectRef } from "../../../../src/domain/sessions.ts";
import {
  type CommitOptions,
  type CommitResult,
  createMemoryWriter,
  type MemoryWriter,
} from "../../../../src/memory/journal/commit.ts";
import { createEmitter, type Emitter } from "../../../../src/system/emitter.ts";
import type { FileLocks } from "../../../../src/system/file-lock.ts";
import { createFiles, type FileOps } from "../../../../src/system/files.ts";
import { contentHash } from "../../../../src/system/ids.ts";
import type { Log } from "../../../../src/system/log.ts";
import { createManualClock, type ManualClock } from "../../../helpers/manual-clock.ts";
import type { TempFolder } from "../../../helpers/temp-folder.ts";

export const PROJECT: ProjectRef = {
  id: "demo-1234",
  key: "-demo",
  root: "/demo",
  agentHome: undefined,
  present: true,
};
/** When the statements of these tests were said: a day before the manual clock starts. */
export const SAID_AT = Date.UTC(2026, 4, 3, 12);
export const TODAY = "2026-05-04";

export interface Bench {
  readonly writer: MemoryWriter;
  readonly clock: ManualClock;
  readonly emitter: Emitter;
  readonly memoryDir: string;
  readonly stateDir: string;
  /** Commits as the offline rules would; the quotes are their own records. */
  commit(changes: readonly MemoryChange[], extra?: Partial<CommitOptions & ChangeSet>): Promise<CommitResult>;
  read(file: string): string;
  hash(file: string): string;
  /** Plain files of the memory folder with their contents. */
  contents(): Record<string, string>;
}

export interface BenchOptions {
  readonly ops?: FileOps;
  readonly clock?: ManualClock;
  readonly memoryDir?: string;
  readonly locks?: FileLocks;
}

let runs = 0;

/** Each call is a fresh process over the same two folders. */
export function createBench(folder: TempFolder, options: BenchOptions = {}): Bench {
  const clock = options.clock ?? createManualClock();
  const emitter = createEmitter((error) => {
    throw error;
  });
  const memoryDir = options.memoryDir ?? folder.at("memory");
  const stateDir = folder.at("state");
  const writer = createMemoryWriter({
    files: createFiles(options.ops),
    clock,
    emitter,
    stateDir,
    locks: options.locks ?? freeLocks(),
    log: SILENT,
  });
  const read = (file: string) => readFileSync(`${memoryDir}/${file}`, "utf8");
  return {
    writer,
    clock,
    emitter,
    memoryDir,
    stateDir,
    read,
    hash: (file) => contentHash(readFileSync(`${memoryDir}/${file}`)),
    contents: () => contentsOf(memoryDir),
    commit(changes, extra = {}) {
      const { evidenceTexts, today, sharedFolder, keep, lossShareMax, tidyIndex, ...set } = extra;
      return writer.commit(
        {
          run: `20260504T090000000-${String(runs++).padStart(8, "0")}`,
          kind: "extract",
          trigger: "test",
          project: PROJECT,
          memoryDir,
          producer: "offline" satisfies Producer,
          ...set,
          changes,
        },
        {
          evidenceTexts: evidenceTexts ?? textsOf(changes),
          today: today ?? TODAY,
          ...(sharedFolder === undefined ? {} : { sharedFolder }),
          ...(keep === undefined ? {} : { keep }),
          ...(lossShareMax === undefined ? {} : { lossShareMax }),
          ...(tidyIndex === undefined ? {} : { tidyIndex }),
        },
      );
    },
  };
}

export function contentsOf(memoryDir: string): Record<string, string> {
  if (!existsSync(memoryDir)) return {};
  const files = readdirSync(memoryDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => [entry.name, readFileSync(`${memoryDir}/${entry.name}`, "utf8")] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

export const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A lock nobody else ever holds. */
export function freeLocks(): FileLocks {
  return {
    take: () =>
      Promise.resolve({
        held: () => true,
        lost: new AbortController().signal,
        release: () => Promise.resolve(),
      }),
  };
}

export function textsOf(changes: readonly MemoryChange[]): Map<string, string> {
  return new Map(changes.flatMap((change) => change.evidence).map((item) => [item.recordId, item.quote]));
}

/** The person's own words. */
export function said(recordId: string, quote: string, extra: Partial<Evidence> = {}): Evidence {
  return {
    session: { agent: "claude-code", id: "5e551011-0000-4000-8000-000000000001", projectId: PROJECT.id },
    recordId,
    by: "user",
    quote,
    at: SAID_AT,
    ...extra,
  };
}

export function draft(name: string, text: string, extra: Partial<MemoryDraft> = {}): MemoryDraft {
  return { name, description: text, type: "feedback", body: text, ...extra };
}

/** A new memory that says exactly what was said. */
export function createOf(
  file: string,
  text: string,
  extra: { readonly recordId?: string; readonly memory?: Partial<MemoryDraft>; readonly at?: number } = {},
): MemoryChange & { readonly op: "create" } {
  const name = file.replace(/\.md$/, "").replaceAll("_", "-");
  const recordId = extra.recordId ?? `record-of-${name}`;
  return {
    op: "create",
    file,
    memory: draft(name, text, extra.memory ?? {}),
    evidence: [said(recordId, text, extra.at === undefined ? {} : { at: extra.at })],
  };
}
