// Child of model.ts: calls of the SDK alone, or whole extraction jobs, against a stub in the parent process. Arguments:
// what to do, the stub's address, a home folder, how many, in how many projects. Prints the CPU of one, after a few
// to warm up.
import Anthropic from "@anthropic-ai/sdk";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createParts } from "../../src/app.ts";

const [, , task = "", url = "", home = "", countText = "0", projectsText = "0"] = process.argv;
const COUNT = Number(countText);
const PROJECTS = Number(projectsText);
/** Each project has had two jobs by then, and the compiler has seen every path. */
const WARM_UP = 2 * PROJECTS;
const SESSION = "11111111-1111-4111-8111-111111111111";

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** One call as the product sends it: the same body, streamed, read to its end. */
function calls(body: string): (count: number) => Promise<number> {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  const params = JSON.parse(body) as Anthropic.MessageCreateParamsStreaming;
  return async (count) => {
    const before = cpuMs();
    for (let done = 0; done < count; done++) {
      const stream = await client.messages.create(params);
      for await (const _event of stream) continue;
    }
    return (cpuMs() - before) / count;
  };
}

/** One job a new message; each project has one session and a small memory folder of its own. */
function jobs(): (count: number) => Promise<number> {
  const parts = createParts({
    env: { HOME: home, XDG_RUNTIME_DIR: join(home, "run") },
    accountHome: home,
    platform: "linux",
    temporaryDir: join(home, "tmp"),
    pid: process.pid,
    writeLog: () => undefined,
  });
  parts.recordConsent();
  let number = 0;
  return async (count) => {
    const before = cpuMs();
    for (let done = 0; done < count; done++) {
      const path = join(home, `.claude/projects/-home-ana-shop-${number % PROJECTS}/${SESSION}.jsonl`);
      number += 1;
      appendFileSync(path, turn(number));
      const noticed = parts.growth.look(path);
      if (noticed === undefined) throw new Error("the new message was not noticed");
      parts.due(noticed.folder, { trigger: "sync", now: true });
      await parts.queue.whenIdle();
    }
    const spentMs = cpuMs() - before;
    if (parts.unreadFolders().size > 0) throw new Error("a message was not read");
    return spentMs / count;
  };
}

function turn(number: number): string {
  const common = (id: string) => ({
    isSidechain: false,
    userType: "external",
    entrypoint: "cli",
    cwd: `/home/ana/shop-${(number - 1) % PROJECTS}`,
    sessionId: SESSION,
    version: "2.1.140",
    uuid: `${id}-${number}`,
    timestamp: new Date(Date.UTC(2026, 4, 4) + number * 60_000).toISOString(),
  });
  const text = `Message ${number}: the release notes of part ${number} belong on the board of team ${number}.`;
  const answer = { id: `m${number}`, role: "assistant", content: [{ type: "text", text: "Fine." }] };
  const lines = [
    { ...common("u"), type: "user", message: { role: "user", content: text } },
    { ...common("a"), type: "assistant", message: { ...answer, stop_reason: "end_turn" } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const act = task === "jobs" ? jobs() : calls(process.env["BENCH_BODY"] ?? "{}");
await act(WARM_UP);
process.stdout.write(JSON.stringify({ cpuMs: await act(COUNT) }));
process.exit(0);
