#!/usr/bin/env node
// The one binary. The only place that touches the process: arguments, environment, streams, signals, exit.
import { homedir, tmpdir } from "node:os";
import type { Inlet } from "./cli/frame/ask.ts";
import type { Host, Signals } from "./cli/frame/command.ts";
import { perform } from "./cli/frame/perform.ts";
import { parsePlainCall } from "./cli/frame/plain-call.ts";
import { knownError, printError } from "./cli/render/output.ts";
import type { Outlet } from "./cli/render/output.ts";
import { run as status } from "./cli/status.ts";
import { EXIT } from "./domain/errors.ts";
import type { ExitCode } from "./domain/errors.ts";

interface StandardStream extends Outlet {
  /** Resolves when everything written has been taken or nobody reads any more. */
  flush(): Promise<void>;
}

/** A stream is opened by its first use: each one costs a status call a millisecond. */
function standardStream(open: () => NodeJS.WriteStream): StandardStream {
  let stream: NodeJS.WriteStream | undefined;
  let isBroken = false;
  const use = () => {
    if (stream !== undefined) return stream;
    stream = open();
    // A reader that left (`| head`) or a full disk must neither kill the service nor change an exit code.
    stream.on("error", () => (isBroken = true));
    return stream;
  };
  return {
    write(text) {
      if (isBroken) return;
      try {
        use().write(text);
      } catch {
        // A stream into a file writes at once and throws here instead of raising its event.
        isBroken = true;
      }
    },
    get isTerminal() {
      return use().isTTY === true;
    },
    get columns() {
      return use().columns;
    },
    get rows() {
      return use().rows;
    },
    get isClosed() {
      return isBroken;
    },
    flush: () =>
      new Promise((resolve) => {
        if (stream === undefined || isBroken || stream.writableLength === 0) return resolve();
        stream.once("error", () => resolve());
        stream.write("", () => resolve());
      }),
  };
}

const out = standardStream(() => process.stdout);
const err = standardStream(() => process.stderr);

/** What a shell makes of a signal that ended a program. */
const SIGNAL_BASE = 128;

const signals: Signals = {
  onStop(fn) {
    for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => fn(name));
  },
  onReload: (fn) => void process.on("SIGHUP", fn),
  onInterrupt(fn) {
    const take = (name: NodeJS.Signals, number: number) => {
      if (process.exitCode !== undefined) process.exit();
      process.exitCode = SIGNAL_BASE + number;
      fn(name);
    };
    process.on("SIGHUP", take).on("SIGINT", take).on("SIGTERM", take);
    return () => void process.off("SIGHUP", take).off("SIGINT", take).off("SIGTERM", take);
  },
  onUncaught(fn) {
    process.on("uncaughtException", (error) => {
      if (fn(error)) return;
      printError(err, knownError(error));
      process.exit(EXIT.failed);
    });
  },
  onResize: (fn) => void process.stdout.on("resize", fn),
  onExit: (fn) => void process.on("exit", fn),
};

/** A longer line is no answer to a question of ours. */
const LINE_CHARS_MAX = 4_096;

/** Ctrl-D, which says the same. */
const END_OF_INPUT = "\u0004";

const input: Inlet = {
  get isTerminal() {
    return process.stdin.isTTY === true;
  },
  line: () =>
    new Promise((resolve) => {
      let text = "";
      const { stdin } = process;
      const end = (answer: string | undefined) => {
        stdin.off("data", take).off("end", none).off("error", none).pause();
        process.off("SIGINT", none);
        resolve(answer);
      };
      const none = () => end(undefined);
      const take = (piece: string) => {
        text += piece;
        const at = text.indexOf("\n");
        if (at >= 0) end(text.slice(0, at));
        else if (text.length > LINE_CHARS_MAX) none();
      };
      stdin.setEncoding("utf8").on("data", take).on("end", none).on("error", none);
      process.on("SIGINT", none);
    }),
  keys(onKey) {
    const { stdin } = process;
    if (stdin.isTTY !== true) return () => undefined;
    const end = () => onKey(END_OF_INPUT);
    stdin.setRawMode(true).setEncoding("utf8").on("data", onKey).on("end", end).on("error", end);
    return () => void stdin.off("data", onKey).off("end", end).off("error", end).setRawMode(false).pause();
  },
};

function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // Somebody removed it; only commands that need it will say so.
    return undefined;
  }
}

const host: Host = {
  env: process.env,
  accountHome: homedir(),
  platform: process.platform,
  temporaryDir: tmpdir(),
  cwd: workingFolder(),
  pid: process.pid,
  program: { node: process.execPath, entry: process.argv[1] ?? "" },
  out,
  err,
  writeLog: (line) => out.write(line),
  signals,
  input,
};

async function main(argv: readonly string[]): Promise<ExitCode> {
  const call = parsePlainCall(argv, "status");
  if (call !== undefined) return perform({ call, host, run: status });
  const service = parsePlainCall(argv, "run");
  if (service !== undefined && !out.isTerminal) {
    const { serve } = await import("./cli/frame/serve.ts");
    return serve(service, host);
  }
  const { dispatch } = await import("./cli/frame/dispatch.ts");
  return dispatch(argv, host);
}

void main(process.argv.slice(2)).then(async (exitCode) => {
  await Promise.all([out.flush(), err.flush()]);
  process.exit(process.exitCode ?? exitCode);
});
