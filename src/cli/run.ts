// `engramd run`: the service in the foreground. On a terminal a person sees the first screen once everything is read,
// and the log below it in words; a file, a pipe or `--json` gets log lines and nothing else.
import type { EngramdService } from "../domain/service.ts";
import type { DaemonInput } from "../daemon.ts";
import { wait } from "../system/clock.ts";
import type { CommandContext, SilentReply } from "./frame/command.ts";
import { knowing } from "./frame/knowing.ts";
import { configFileOf } from "./frame/service.ts";
import type { Line } from "./render/line.ts";
import { logLine } from "./render/log-line.ts";
import { knownError, pageFor, printError, printLines, wantsColour } from "./render/output.ts";
import { overviewLines, readingLines } from "./render/overview.ts";

export async function run(context: CommandContext): Promise<SilentReply> {
  const { host, call } = context;
  const { env, accountHome, platform, temporaryDir, pid, writeLog, signals } = host;
  const configFile = configFileOf({ host, call });
  const forPerson = host.out.isTerminal && !call.globals.json ? shownTo(context) : {};
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
    ...forPerson,
  });
  return { exitCode };
}

/** The log in words, and the first screen. */
function shownTo(context: CommandContext): Pick<DaemonInput, "writeLog" | "onReady"> {
  const { host, clock } = context;
  const show = (lines: readonly Line[]) =>
    printLines(host.out, lines, { colour: wantsColour(host.out, host.env) });
  let isShown = false;
  return {
    writeLog(text) {
      // What is saved meanwhile stands in the first screen as one figure.
      const shown = logLine(text.trimEnd(), { now: clock.now(), isBrief: !isShown });
      if (shown !== undefined) show([shown]);
    },
    onReady: (started) => void showFirstScreen(context, { ...started, show }).then(() => (isShown = true)),
  };
}

interface Started {
  readonly service: EngramdService;
  isReading(): boolean;
  show(lines: readonly Line[]): void;
}

/** How long the figures may wait for the reading; then they are shown as they are. */
const READING_MS = 60_000;
const LOOK_MS = 250;

/** Never throws: the daemon does not depend on what is shown. */
async function showFirstScreen(
  context: CommandContext,
  { service, isReading, show }: Started,
): Promise<void> {
  const { host, clock, paths } = context;
  const page = () => ({
    ...pageFor(host.out, { env: host.env, now: clock.now() }),
    home: paths.home,
    knows: knowing(context),
  });
  try {
    const first = await service.overview();
    // What has been quiet is queued with the next turn of the timers.
    await wait(clock, LOOK_MS);
    if (isReading()) show(readingLines(first, page()));
    for (let waitedMs = 0; isReading() && waitedMs < READING_MS; waitedMs += LOOK_MS)
      await wait(clock, LOOK_MS);
    const overview = await service.overview();
    if (overview.state !== "stopping") show(overviewLines(overview, page()));
  } catch (error) {
    printError(host.err, knownError(error));
  }
}
