// A scratch home with transcripts and an engramd of its own in this process: what the story tests are told with.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { App, Parts } from "../../src/app.ts";
import type { AppInput } from "../../src/app/ground.ts";
import { createApp, createParts } from "../../src/app.ts";
import type { SyncReport, SyncRequest } from "../../src/domain/service.ts";
import type { Clock } from "../../src/system/clock.ts";
import { claudeProjectKey, sessionIdOf } from "../helpers/claude-transcript.ts";
import type { EventSpy } from "../helpers/event-spy.ts";
import { createEventSpy } from "../helpers/event-spy.ts";
import type { ScratchHome } from "../helpers/scratch-home.ts";
import { createScratchHome } from "../helpers/scratch-home.ts";

/** The project, the session files and the rules most stories are told with. */
export const SHOP = "/home/ana/shop";
export const S1 = `${sessionIdOf(1)}.jsonl`;
export const S2 = `${sessionIdOf(2)}.jsonl`;
export const TABS = "From now on always use tabs for indentation in commits.";
export const MOCKS = "Remember that integration tests hit a real database.";
export const RELEASE = "Remember that we deploy from the release branch, never from main.";

export interface Story {
  readonly home: ScratchHome;
  /** Writes a transcript of a working directory; answers its path. */
  transcript(cwd: string, name: string, content: string | Buffer): string;
  memoryDir(cwd: string): string;
  /** Topic files of a memory folder, sorted. */
  topics(cwd: string): string[];
  /** Topic file contents joined, for a look at what was learnt. */
  learnt(cwd: string): string;
  index(cwd: string): string;
  config(value: unknown): void;
  sync(request?: SyncRequest): Promise<SyncReport>;
  /** One engramd for a few questions; closed afterwards. */
  ask<T>(use: (service: App["service"]) => Promise<T>): Promise<T>;
  /** The parts of one engramd, with every event recorded, for what an answer does not tell. */
  inside<T>(use: (inside: Inside) => Promise<T>): Promise<T>;
}

export interface Inside {
  readonly parts: Parts;
  readonly service: App["service"];
  readonly events: EventSpy;
}

export function createStory(
  env: Readonly<Record<string, string>> = {},
  clock?: Clock,
  home: ScratchHome = createScratchHome(),
): Story {
  const memoryDir = (cwd: string) =>
    join(home.claudeProjects, claudeProjectKey(cwd.normalize("NFC")), "memory");
  const topics = (cwd: string) =>
    existsSync(memoryDir(cwd))
      ? readdirSync(memoryDir(cwd))
          .filter((name) => name.endsWith(".md") && name !== "MEMORY.md")
          .toSorted()
      : [];
  const input: AppInput = {
    env: { ...home.env, ...env },
    accountHome: home.home,
    platform: process.platform,
    temporaryDir: join(home.folder.path, "tmp"),
    pid: process.pid,
    writeLog: () => undefined,
    ...(clock === undefined ? {} : { clock }),
  };
  async function ask<T>(use: (service: App["service"]) => Promise<T>): Promise<T> {
    const app = await createApp(input);
    try {
      return await use(app.service);
    } finally {
      await app.close();
    }
  }
  async function inside<T>(use: (inside: Inside) => Promise<T>): Promise<T> {
    const parts = createParts(input);
    const events = createEventSpy(parts.emitter);
    const live = () =>
      ({ pid: null, startedAt: null, state: "stopped", dueAt: parts.debounce.dueAt }) as const;
    try {
      return await use({ parts, events, service: parts.service(live, async () => undefined) });
    } finally {
      parts.debounce.stop();
      parts.reading.gate.stop();
      await parts.queue.drain(0);
      parts.places.save();
      parts.catalog.flush();
    }
  }
  return {
    home,
    transcript(cwd, name, content) {
      const path = join(home.claudeProjects, claudeProjectKey(cwd.normalize("NFC")), name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    memoryDir,
    topics,
    learnt: (cwd) =>
      topics(cwd)
        .map((file) => readFileSync(join(memoryDir(cwd), file), "utf8"))
        .join("\n"),
    index: (cwd) => readFileSync(join(memoryDir(cwd), "MEMORY.md"), "utf8"),
    config(value) {
      mkdirSync(dirname(home.configFile), { recursive: true });
      writeFileSync(home.configFile, JSON.stringify(value));
    },
    sync: (request = {}) => ask((service) => service.sync(request)),
    ask,
    inside,
  };
}
