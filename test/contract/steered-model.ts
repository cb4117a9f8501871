// A model that was told what to call, on a home with things beside the memory folder that no call may reach.
import { execFileSync } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import type { SyncReport } from "../../src/domain/service.ts";
import type { Status } from "../../src/domain/status.ts";
import { createTranscript } from "../helpers/claude-transcript.ts";
import { SQUASH_WORDS } from "../helpers/model-memory.ts";
import type { ModelStub, StubCall, StubRequest } from "../helpers/model-stub.ts";
import type { Story } from "../daemon/story.ts";
import { createStory, S1, SHOP } from "../daemon/story.ts";

/** Stands in every file outside the memory folder. */
export const OUTSIDE = "words from outside";

/** Known memories by file name; the bodies are long enough to be missed. */
export const KNOWN: Readonly<Record<string, string>> = {
  "user_role.md": topic(
    "role",
    "user",
    "I am a data scientist with ten years of Python, new to React, and I like short answers.",
  ),
  "project_x.md": topic(
    "project-x",
    "project",
    "Project X imports the bank files every night and mails the errors to the finance team.",
  ),
};

export function topic(name: string, type: string, body: string): string {
  return `---\nname: ${name}\ndescription: what ${name} is about\nmetadata:\n  type: ${type}\n---\n${body}\n`;
}

/** A home whose memory folder holds two memories, an index, and traps that lead out of it. */
export function trappedStory(stub: ModelStub, extract: object = {}): Story {
  const story = createStory();
  story.config({
    provider: "local",
    baseUrl: stub.url,
    firstStart: { backfillDays: { model: 36_500 } },
    extract: { maxTurns: 20, maxInputTokens: 5_000_000, ...extract },
  });
  story.transcript(SHOP, S1, createTranscript({ cwd: SHOP }).user(SQUASH_WORDS).assistant("Will do.").text());
  const dir = story.memoryDir(SHOP);
  mkdirSync(story.home.stateDir, { recursive: true });
  mkdirSync(dir, { recursive: true });
  for (const [file, text] of Object.entries(KNOWN)) writeFileSync(join(dir, file), text);
  const index = Object.keys(KNOWN).map((file) => `- [${file}](${file}) — what it is about\n`);
  writeFileSync(join(dir, "MEMORY.md"), index.join(""));
  plantOutside(story);
  plantTraps(story, dir);
  return story;
}

function plantOutside({ home, memoryDir }: Story): void {
  const secret = topic("outside", "user", OUTSIDE);
  for (const path of [".ssh/id_rsa", "notes.md", ".claude/CLAUDE.md", ".bashrc", "outside/a.md"]) {
    home.folder.write(join("home", path), secret);
  }
  const other = memoryDir("/home/ana/other");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "user_role.md"), secret);
}

/** Each is named like a memory. */
function plantTraps({ home }: Story, dir: string): void {
  const outside = (path: string) => join(home.home, path);
  symlinkSync(outside("outside/a.md"), join(dir, "user_link.md"));
  symlinkSync(outside("outside"), join(dir, "user_folder.md"));
  symlinkSync(outside("outside"), join(dir, "notes"));
  symlinkSync(outside("outside/new.md"), join(dir, "user_dangling.md"));
  linkSync(outside("notes.md"), join(dir, "user_hard.md"));
  execFileSync("mkfifo", [join(dir, "user_pipe.md")]);
  mkdirSync(join(dir, "user_real_folder.md"));
}

/** Everything below a home but our own state and one memory folder, with contents: what must not change. */
export function surroundings({ home, memoryDir }: Story): Record<string, string> {
  const own = [home.stateDir, memoryDir(SHOP)].map((path) => relative(home.home, path));
  const names = readdirSync(home.home, { recursive: true, encoding: "utf8" });
  const strangers = names.filter((name) => !own.some((path) => name === path || name.startsWith(`${path}/`)));
  return Object.fromEntries(strangers.toSorted().map((name) => [name, contentOf(join(home.home, name))]));
}

/** The memory folder, things that are no files included. */
export function folderOf(story: Story): Record<string, string> {
  const dir = story.memoryDir(SHOP);
  mkdirSync(story.home.stateDir, { recursive: true });
  return Object.fromEntries(
    readdirSync(dir)
      .toSorted()
      .map((name) => [name, contentOf(join(dir, name))]),
  );
}

function contentOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(path)}`;
  return stat.isFile() ? readFileSync(path, "utf8") : `something of mode ${stat.mode.toString(8)}`;
}

export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
}

/** What the model was told about the calls of its answer before, in their order. */
export function resultsIn(request: StubRequest | undefined): ToolResult[] {
  const messages = (request?.body["messages"] ?? []) as { content: unknown }[];
  const last = messages.at(-1)?.content;
  if (!Array.isArray(last)) return [];
  return (last as { type: string; is_error?: boolean; content?: unknown }[])
    .filter(({ type }) => type === "tool_result")
    .map(({ is_error, content }) => ({
      isError: is_error === true,
      text: typeof content === "string" ? content : JSON.stringify(content),
    }));
}

/** Calls in answers of at most so many; the last answer says nothing. */
export function script(stub: ModelStub, calls: readonly StubCall[], perAnswer = 30): number {
  const answers = Math.ceil(calls.length / perAnswer);
  for (let at = 0; at < answers; at += 1) {
    stub.reply({ blocks: ["Next.", ...calls.slice(at * perAnswer, (at + 1) * perAnswer)] });
  }
  stub.otherwise({ blocks: ["Nothing more."] });
  return answers;
}

/** One pass and the status of the same process after it. */
export function passAndStatus(story: Story): Promise<{ report: SyncReport; status: Status }> {
  return story.inside(async ({ parts, service }) => {
    parts.recordConsent();
    return { report: await service.sync({}), status: await service.status() };
  });
}
