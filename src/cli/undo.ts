// `engramd undo RUN` puts back what a run did; `undo --all` every run of this project, after a yes to what is shown.
import { AppError, EXIT } from "../domain/errors.ts";
import type { UndoReply, UndoRequest } from "../domain/history.ts";
import { askYesNo, canAsk } from "./frame/ask.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { undoLines } from "./render/history.ts";
import { pageFor, printLines, wantsColour } from "./render/output.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { call } = context;
  const request = requestOf(context);
  if (request.all !== true || request.dryRun === true || call.options.has("yes")) {
    return told(await ask(context, request));
  }
  const plan = await ask(context, { ...request, dryRun: true });
  if (plan.outcome === "nothing") return told(plan);
  if (call.globals.json || !canAsk(context.host)) {
    return { ...told(plan), exitCode: EXIT.failed, problem: needsYes() };
  }
  if (!(await agrees(plan, context))) return { ...told(plan), exitCode: EXIT.failed, lines: () => [] };
  return told(await ask(context, request));
}

function requestOf(context: CommandContext): UndoRequest {
  const { options, words } = context.call;
  const [run] = words;
  const isAll = options.has("all");
  if (isAll === (run !== undefined)) {
    throw new AppError({
      code: "bad-usage",
      message: "undo takes the id of a run, or --all",
      fix: "see the ids: engramd history",
      exitCode: EXIT.usage,
    });
  }
  return {
    ...(run === undefined ? { all: true, project: projectOf(context) } : { run }),
    ...(options.has("force") ? { force: true } : {}),
    ...(options.has("dry-run") ? { dryRun: true } : {}),
  };
}

function ask(context: CommandContext, request: UndoRequest): Promise<UndoReply> {
  const looksOnly = request.dryRun === true;
  return withService(context, (service) => service.undo(request), { looksOnly });
}

async function agrees(plan: UndoReply, { host, clock }: CommandContext): Promise<boolean> {
  const { out, env } = host;
  const page = pageFor(out, { env, now: clock.now() });
  printLines(out, undoLines(plan, page), { colour: wantsColour(out, env) });
  return askYesNo(host, "Undo all of this?");
}

/** A file that stays is listed and is no failure. */
function told(reply: UndoReply): Reply {
  return { exitCode: EXIT.ok, document: reply, lines: (page) => undoLines(reply, page) };
}

function needsYes(): AppError {
  return new AppError({
    code: "needs-yes",
    message: "nothing was undone: nobody said yes to this",
    fix: "if you agree, run it again with --yes",
  });
}
