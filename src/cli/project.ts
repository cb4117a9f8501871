// `engramd project [list|move]`: where the memory of each project lies; takes one to a better folder, or back, after a
// yes to what is shown.
import { AppError, EXIT } from "../domain/errors.ts";
import type { MoveReply, MoveRequest } from "../domain/projects.ts";
import { askYesNo, canAsk } from "./frame/ask.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { pageFor, printLines, wantsColour } from "./render/output.ts";
import { moveLines, planLines, projectLines } from "./render/project.ts";

export const ACTIONS = ["list", "move"] as const;

export async function run(context: CommandContext): Promise<Reply> {
  const [what = "list"] = context.call.words;
  if (what === "move") return move(context);
  const [option] = context.call.options.keys();
  if (what === "list" && option === undefined) return list(context);
  throw what === "list"
    ? usage("bad-usage", `--${option ?? ""} goes with a move`, "use: engramd project move")
    : usage("unknown-action", `project cannot ${what}`, `use one of ${ACTIONS.join(", ")}`);
}

async function list(context: CommandContext): Promise<Reply> {
  const found = await withService(context, (service) => service.projects(), { looksOnly: true });
  return { exitCode: EXIT.ok, document: found, lines: (page) => projectLines(found, page) };
}

async function move(context: CommandContext): Promise<Reply> {
  const { call, host } = context;
  const request: MoveRequest = {
    project: projectOf(context),
    ...(call.options.has("back") ? { back: true } : {}),
  };
  if (call.options.has("yes")) return told(await ask(context, request));
  const plan = await ask(context, { ...request, dryRun: true });
  if (plan.outcome !== "planned") return told(plan);
  if (call.globals.json || !canAsk(host)) return { ...planned(plan), problem: needsYes() };
  if (!(await agrees(plan, context))) return planned(plan, "nothing was moved");
  return told(await ask(context, request));
}

function ask(context: CommandContext, request: MoveRequest): Promise<MoveReply> {
  return withService(context, (service) => service.moveProject(request));
}

async function agrees(plan: MoveReply, { host, clock }: CommandContext): Promise<boolean> {
  const { out, env } = host;
  const page = pageFor(out, { env, now: clock.now() });
  printLines(out, planLines(plan, page), { colour: wantsColour(out, env) });
  return askYesNo(host, "Move it?");
}

function planned(plan: MoveReply, message = plan.message): Reply {
  const document = { ...plan, message };
  return { exitCode: EXIT.failed, document, lines: (page) => planLines(document, page) };
}

function told(reply: MoveReply): Reply {
  const answer = { document: reply, lines: (page: Parameters<Reply["lines"]>[0]) => moveLines(reply, page) };
  if (reply.outcome !== "refused") return { ...answer, exitCode: EXIT.ok };
  const [first] = reply.conflicts;
  const fix =
    first === undefined ? "see: engramd project list" : "join the two files by hand, then try again";
  return {
    ...answer,
    exitCode: EXIT.failed,
    problem: new AppError({ code: "project-move-refused", message: reply.message, fix }),
  };
}

function needsYes(): AppError {
  return new AppError({
    code: "needs-yes",
    message: "nothing was moved: nobody said yes to this",
    fix: "if you agree, run it again with --yes",
  });
}

function usage(code: string, message: string, fix: string): AppError {
  return new AppError({ code, message, fix, exitCode: EXIT.usage });
}
