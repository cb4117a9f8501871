// Child of model.ts: calls of the SDK alone, or whole extraction jobs, against a stub in the parent process. Arguments:
// what to do, the stub's address, a home folder, how many. Prints the CPU of one, after a few to warm up.
import Anthropic from "@anthropic-ai/sdk";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createParts } from "../../src/app.ts";

const [, , task = "", url = "", home = "", countText = "0"] = process.argv;
const COUNT = Number(countText);
/** Enough for the compiler to have seen every path. */
const WARM_UP = 40;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** One call as the product sends it: the same body, streamed, read to its end. */
async function calls(body: string): Promise<(count: number) => Promise<void>> {
  const client = new Anthropic({ apiKey: "none", baseURL: url, maxRetries: 0 });
  const params = JSON.parse(body) as Anthropic.MessageCreateParamsStreaming;
  return async (count) => {
    for (let done = 0; done < count; done++) {
      const stream = await client.messages.create(params);
      for await (const _event of stream) continue;
    }
  };
}

/** One job a new message, all in one project: reading, the run, the commit, the cursor. */
function jobs(): (count: number) => Promise<void> {
  const parts = createParts({
    env: { HOME: home, XDG_RUNTIME_DIR: join(home, "run") },
    accountHome: home,
    platform: "linux",
    temporaryDir: join(home, "tmp"),
    pid: process.pid,
    writeLog: () => undefined,
  });
  parts.recordConsent();
  const path = join(home, ".claude/projects/-home-ana-shop/11111111-1111-4111-8111-111111111111.jsonl");
  let number = 0;
  return async (count) => {
    for (let done = 0; done < count; done++) {
      number += 1;
      appendFileSync(path, turn(number));
      const noticed = parts.growth.look(path);
      if (noticed === undefined) throw new Error("the new message was not noticed");
      parts.due(noticed.folder, { trigger: "sync", now: true });
      await parts.queue.whenIdle();
    }
    if (parts.unreadFolders().size > 0) throw new Error("a message was not read");
  };
}

function turn(number: number): string {
  const common = (id: string) => ({
    isSidechain: false,
    userType: "external",
    entrypoint: "cli",
    cwd: "/home/ana/shop",
    sessionId: "11111111-1111-4111-8111-111111111111",
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

const act = task === "jobs" ? jobs() : await calls(process.env["BENCH_BODY"] ?? "{}");
await act(WARM_UP);
const before = cpuMs();
await act(COUNT);
process.stdout.write(JSON.stringify({ cpuMs: (cpuMs() - before) / COUNT }));
process.exit(0);
