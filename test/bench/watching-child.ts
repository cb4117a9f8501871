// Child of watching.ts. Arguments: `ours` or `plain` (a loop of fs.watch), root with one folder per project.
// Prints what starting to watch cost, then lets a writer append, then prints what the burst cost.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createQueue } from "../../src/intake/queue/queue.ts";
import { createRetryClock } from "../../src/intake/queue/retry-clock.ts";
import { createDebounce } from "../../src/intake/watch/debounce.ts";
import { createClock } from "../../src/system/clock.ts";
import { createEmitter } from "../../src/system/emitter.ts";
import { createFiles } from "../../src/system/files.ts";
import { createFolderWatcher } from "../../src/system/watcher.ts";
import { ownCost } from "./own-cost.ts";

const [, , how = "", root = "", writer = ""] = process.argv;
/** Events have ended when none came for this long. */
const QUIET_MS = 500;

const folders = readdirSync(root).map((name) => join(root, name));
const seen = new Set<string>();
const descriptorsBefore = readdirSync("/proc/self/fd").length;
const clock = createClock();
const emitter = createEmitter(() => undefined);
let jobs = 0;
let lastEventMs = 0;

/** The path of a real event: watcher, debounce, queue; without reading anything. */
function createPath() {
  const retries = createRetryClock({
    files: { read: () => undefined, replace: () => undefined },
    clock,
    path: "/none",
    jitter: () => 0,
    emitter,
  });
  const run = () => {
    jobs++;
    return Promise.resolve({ result: "skipped", reason: "nothing-new" } as const);
  };
  const queue = createQueue({
    kinds: new Map([["extract", { name: "extract", run }]]),
    concurrency: 2,
    clock,
    emitter,
    retries,
  });
  const debounce = createDebounce({ clock, fire: (folder) => queue.push("extract", folder) });
  return { queue, debounce };
}

function notice(path: string): void {
  seen.add(path);
  lastEventMs = performance.now();
}

async function startOurs(onChange: (path: string) => void) {
  const watcher = createFolderWatcher({ files: createFiles(), onChange, onDegraded: () => process.exit(1) });
  watcher.setFolders(folders);
  await watcher.settled();
}

function startPlain(onChange: (path: string) => void) {
  for (const folder of folders)
    watch(folder, (_event, name) => onChange(name === null ? folder : join(folder, name)));
}

function kernelWatches(): number {
  let count = 0;
  for (const fd of readdirSync("/proc/self/fdinfo")) {
    try {
      const text = readFileSync(`/proc/self/fdinfo/${fd}`, "utf8");
      count += text.split("\n").filter((line) => line.startsWith("inotify ")).length;
    } catch {
      // The descriptor of this very listing is gone again.
    }
  }
  return count;
}

/** Whatever runs between the two marks; the writer is another process and not counted. */
async function burst(): Promise<void> {
  const child = spawn(process.execPath, ["-e", writer, root], { stdio: "ignore" });
  await new Promise((resolve) => child.on("close", resolve));
  lastEventMs = performance.now();
  while (performance.now() - lastEventMs < QUIET_MS) await new Promise((resolve) => setTimeout(resolve, 50));
}

const path = createPath();
const quiet = { quietMs: 20_000, maxWaitMs: 600_000 };
const onChange =
  how === "ours"
    ? (changed: string) => {
        notice(changed);
        path.debounce.touch(dirname(changed), quiet);
      }
    : notice;
const beforeStart = ownCost().cpuMs;
if (how === "ours") await startOurs(onChange);
else startPlain(onChange);
const startMs = ownCost().cpuMs - beforeStart;
const watches = kernelWatches();
const descriptors = readdirSync("/proc/self/fd").length - descriptorsBefore;
const beforeBurst = ownCost().cpuMs;
await burst();
const burstMs = ownCost().cpuMs - beforeBurst;
for (const folder of folders) if (path.debounce.dueAt(folder) !== undefined) path.debounce.fireNow(folder);
await path.queue.whenIdle();
const files = [...seen].filter((changed) => basename(changed).endsWith(".jsonl")).length;
process.stdout.write(JSON.stringify({ startMs, burstMs, watches, descriptors, files, jobs }), () =>
  process.exit(0),
);
