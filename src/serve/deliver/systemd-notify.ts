// Tells the service manager how the daemon is (ready, alive, stopping), when one that listens started it. By the
// systemd-notify program: Node has no datagram sockets. Failing to tell never harms the daemon.
import { isAbsolute } from "node:path";
import { messageOf } from "../../domain/errors.ts";
import type { RunCommand } from "../../system/command.ts";
import type { Log } from "../../system/log.ts";
import type { Environment } from "../../system/paths.ts";

/** What the manager understands; these are its own words. */
export type ManagerWord = "READY=1" | "WATCHDOG=1" | "STOPPING=1";

export interface ManagerLink {
  /** Never rejects. */
  tell(word: ManagerWord): Promise<void>;
  /** The manager ends us when it hears nothing for this long; undefined when it does not watch. */
  readonly watchdogMs: number | undefined;
}

export interface ManagerLinkDeps {
  readonly env: Environment;
  readonly pid: number;
  readonly run: RunCommand;
  readonly log: Log;
}

/** The program waits up to 5 s for the manager to have read it. */
const TELL_MS = 8_000;
const OUTPUT_BYTES_MAX = 4_096;

/** Undefined when nobody listens: started by hand, or by a manager that does not ask. */
export function createManagerLink({ env, pid, run, log }: ManagerLinkDeps): ManagerLink | undefined {
  const socket = env["NOTIFY_SOCKET"] ?? "";
  if (!isAbsolute(socket) && !socket.startsWith("@")) return undefined;
  return {
    watchdogMs: watchdogMs(env, pid),
    async tell(word) {
      const failure = await send({ run, env: { PATH: env["PATH"], NOTIFY_SOCKET: socket }, word });
      if (failure !== undefined) log.warn("the service manager was not told", { word, failure });
    },
  };
}

/** Set for one process only: a child of ours must not think it is watched. */
function watchdogMs(env: Environment, pid: number): number | undefined {
  const text = env["WATCHDOG_USEC"] ?? "";
  const watched = env["WATCHDOG_PID"];
  if (!/^\d{1,15}$/u.test(text) || (watched !== undefined && watched !== String(pid))) return undefined;
  const ms = Math.floor(Number(text) / 1_000);
  return ms > 0 ? ms : undefined;
}

interface Sending {
  readonly run: RunCommand;
  readonly env: Environment;
  readonly word: ManagerWord;
}

async function send({ run, env, word }: Sending): Promise<string | undefined> {
  const command = {
    file: "systemd-notify",
    args: [word],
    env,
    timeMs: TELL_MS,
    outputBytesMax: OUTPUT_BYTES_MAX,
  };
  try {
    const { how, code } = await run(command, new AbortController().signal);
    return how === "exit" && code === 0 ? undefined : `${how} ${code ?? "by a signal"}`;
  } catch (error) {
    return messageOf(error);
  }
}
