// `engramd run`: the service in the foreground.
import type { CommandContext, SilentReply } from "./frame/command.ts";
import { configFileOf } from "./frame/service.ts";

export async function run({ host, call }: CommandContext): Promise<SilentReply> {
  const { env, accountHome, platform, temporaryDir, pid, writeLog, signals } = host;
  const configFile = configFileOf({ host, call });
  // The whole daemon hangs on this import; no other command may pay for it.
  const { runDaemon } = await import("../daemon.ts");
  const exitCode = await runDaemon({
    env,
    accountHome,
    platform,
    temporaryDir,
    pid,
    writeLog,
    signals,
    logToFile: call.options.has("log-file"),
    ...(configFile === undefined ? {} : { configFile }),
  });
  return { exitCode };
}
