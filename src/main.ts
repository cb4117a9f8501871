#!/usr/bin/env node
// The one binary. The only place that touches the process: arguments, environment, streams, signals, exit.
import { homedir, tmpdir } from "node:os";
import { dispatch } from "./cli/frame/dispatch.ts";
import type { Host, Signals } from "./cli/frame/command.ts";
import type { Outlet } from "./cli/render/output.ts";

function outletOf(stream: NodeJS.WriteStream): Outlet {
  let isOpen = true;
  // A reader that left (`| head`) or a full disk must neither kill the service nor change an exit code.
  stream.on("error", () => (isOpen = false));
  return {
    write(text) {
      if (!isOpen) return;
      try {
        stream.write(text);
      } catch {
        // Files are written at once and throw here instead of raising the event.
      }
    },
    isTerminal: stream.isTTY === true,
    columns: stream.columns,
  };
}

function processSignals(): Signals {
  return {
    onStop(fn) {
      for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => fn(name));
    },
    onReload: (fn) => void process.on("SIGHUP", fn),
  };
}

function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // Somebody removed it; only commands that need it will say so.
    return undefined;
  }
}

function host(): Host {
  const out = outletOf(process.stdout);
  return {
    env: process.env,
    accountHome: homedir(),
    platform: process.platform,
    temporaryDir: tmpdir(),
    cwd: workingFolder(),
    pid: process.pid,
    out,
    err: outletOf(process.stderr),
    writeLog: (line) => out.write(line),
    signals: processSignals(),
  };
}

/** Resolves when everything written has been taken or nobody reads any more. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}

const exitCode = await dispatch(process.argv.slice(2), host());
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit(exitCode);
