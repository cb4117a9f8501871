// `engramd install`: engramd as a service of the person, now and at every login.
import { AppError, EXIT } from "../domain/errors.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { knowing } from "./frame/knowing.ts";
import { configFileOf, withService } from "./frame/service.ts";
import type { Line, Page } from "./render/line.ts";
import { EMPTY_LINE, wrap } from "./render/line.ts";
import { knownError } from "./render/output.ts";
import { installLines } from "./render/install.ts";
import { overviewLines } from "./render/overview.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { host, call, files, clock } = context;
  const { installService, withManager } = (await import("./frame/service-tools.ts")).SERVICE_TOOLS;
  const wish = { network: !call.options.has("no-network"), configFile: configFileOf({ host, call }) };
  const report = await withManager(context, (machine) =>
    installService({ ...machine, files, clock, program: host.program }, wish),
  );
  const answer = { document: report, lines: (page: Page) => installLines(report, page) };
  if (report.byHand === null) {
    const screen = call.globals.json ? () => [] : await firstScreen(context);
    const lines = (page: Page) => [...installLines(report, page), ...screen(page)];
    return { document: report, lines, exitCode: EXIT.ok };
  }
  const problem = new AppError({
    code: "service-not-started",
    message: `${report.service.file} is written, but the service was not started: ${report.byHand.why}`,
    fix: report.byHand.commands,
  });
  return { ...answer, exitCode: EXIT.failed, problem };
}

/** What is shown below; what was installed stands, whatever becomes of the figures. */
async function firstScreen(context: CommandContext): Promise<(page: Page) => readonly Line[]> {
  const { home } = context.paths;
  const knows = knowing(context);
  try {
    const found = await withService(context, (service) => service.overview(), { looksOnly: true });
    // The service was started a moment ago, and may not answer yet.
    const overview = found.state === "stopped" ? { ...found, state: "starting" as const } : found;
    return (page) => [EMPTY_LINE, ...overviewLines(overview, { ...page, home, knows })];
  } catch (error) {
    const { message } = knownError(error);
    return (page) => [
      EMPTY_LINE,
      ...wrap(`what it found cannot be shown yet: ${message}`, { ...page, tone: "faint" }),
    ];
  }
}
