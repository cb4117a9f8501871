// Child of latency.ts. Arguments: `ours` or `plain` (one fs.watch), home, folder of transcripts, writer script. Prints the
// milliseconds from each append of another process to the job that was queued for it, or to the event of the watch.
import { spawn } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";
import { createParts } from "../../src/app.ts";
import { createTriggers } from "../../src/serve/triggers/triggers.ts";

const [, , how = "", home = "", folder = "", writer = ""] = process.argv;
const SESSION = "11111111-1111-4111-8111-111111111111.jsonl";

/** When the events came, by `process.hrtime`, which is one clock for all processes. */
const noticed: bigint[] = [];
const notice = () => void noticed.push(process.hrtime.bigint());

/** The path of the daemon, from its watcher to its queue; jobs run and read as they do there. */
async function startOurs(): Promise<void> {
  const env = { HOME: home, XDG_RUNTIME_DIR: join(home, "run") };
  const { platform, pid } = process;
  const place = { env, platform, accountHome: home, temporaryDir: home };
  const parts = createParts({ ...place, pid, writeLog: () => undefined });
  parts.emitter.onAny((name) => {
    if (name === "job:queued" || name === "job:merged") notice();
  });
  await createTriggers(parts).start();
  parts.queue.resume();
}

if (how === "ours") await startOurs();
else watch(folder, notice);

const path = join(folder, SESSION);
const child = spawn(process.execPath, ["-e", writer, path], { stdio: ["ignore", "pipe", "inherit"] });
let printed = "";
child.stdout.setEncoding("utf8").on("data", (text: string) => void (printed += text));
await new Promise((resolve) => child.on("close", resolve));

const appended = printed.trim().split("\n").map(BigInt);
const ms = appended.flatMap((at) => {
  const seen = noticed.find((each) => each > at);
  return seen === undefined ? [] : [Number(seen - at) / 1e6];
});
process.stdout.write(JSON.stringify({ ms, appended: appended.length }), () => process.exit(0));
