// `engramd model`: what reads your words, and what it would cost. `engramd model use ...`: a choice, made only after a
// yes to what is shown; never starts a program, never reads a key.
import { AppError, EXIT } from "../domain/errors.ts";
import type { ModelReport, UseModelReply, UseModelRequest } from "../domain/model-choice.ts";
import { MODEL_CHOICES } from "../domain/model-choice.ts";
import { askYesNo, canAsk } from "./frame/ask.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { configFileOf, withService } from "./frame/service.ts";
import { chosenLines, modelLines, planLines, questionFor } from "./render/model.ts";
import { pageFor, printLines, wantsColour } from "./render/output.ts";

export async function run(context: CommandContext): Promise<Reply> {
  const { words, options } = context.call;
  const [action, provider] = words;
  if (action === "use") return use(context, requestOf(context, provider));
  if (action !== undefined)
    throw usage("unknown-action", `model cannot ${action}`, "use: engramd model, or engramd model use ...");
  const [option] = options.keys();
  if (option !== undefined)
    throw usage("bad-usage", `--${option} goes with a choice`, "use: engramd model use ...");
  return show(context);
}

async function show(context: CommandContext): Promise<Reply> {
  const answer = await withService(context, (service) => service.model());
  const report = withShell(answer, context);
  return { exitCode: EXIT.ok, document: report, lines: (page) => modelLines(report, page) };
}

/** The service has an environment of its own: a key in this shell is not there. */
function withShell(report: ModelReport, { host }: CommandContext): ModelReport {
  const { apiKeyEnv, key, running, offers } = report;
  if (report.host !== null || key !== null || (host.env[apiKeyEnv] ?? "").trim() === "") return report;
  const where = running ? " in this shell, where the running service does not see it" : "";
  const offer = { what: `${apiKeyEnv} is set${where}`, command: "engramd model use anthropic" };
  return { ...report, offers: [...offers, offer] };
}

function requestOf(context: CommandContext, name: string | undefined): UseModelRequest {
  const { options } = context.call;
  const provider = MODEL_CHOICES.find((known) => known === name);
  const choices = MODEL_CHOICES.join(", ");
  if (name === undefined)
    throw usage("missing-argument", "model use needs a choice", `give one of ${choices}`);
  if (provider === undefined)
    throw usage("unknown-provider", `there is no provider ${JSON.stringify(name)}`, `use one of ${choices}`);
  const configFile = configFileOf(context);
  const text = (option: string) => {
    const value = options.get(option);
    return typeof value === "string" ? value : undefined;
  };
  const [baseUrl, model, agents] = [text("base-url"), text("model"), text("agent")];
  if (provider === "offline" && (baseUrl ?? model) !== undefined)
    throw usage("bad-usage", "offline has neither address nor model", "leave --base-url and --model out");
  return {
    provider,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(model === undefined ? {} : { model }),
    ...(agents === undefined ? {} : { agents }),
    ...(configFile === undefined ? {} : { configFile }),
  };
}

async function use(context: CommandContext, request: UseModelRequest): Promise<Reply> {
  const { call, host } = context;
  const plan = await withService(context, (service) => service.useModel(request));
  if (plan.outcome === "unchanged") return planned(plan, EXIT.ok);
  const saysYes = call.options.has("yes") || request.provider === "offline";
  const knowsPlainHttp = call.options.has("allow-plain-http");
  const isAsked = !saysYes && !call.globals.json && canAsk(host);
  if (isAsked && !(await agrees(plan, context))) {
    return { exitCode: EXIT.failed, document: plan, lines: () => chosenLines(undefined) };
  }
  const missing = isAsked ? [] : missingFlags(plan, { saysYes, knowsPlainHttp });
  if (missing.length > 0) return { ...planned(plan, EXIT.failed), problem: needsFlags(missing, plan) };
  const answer = { ...request, agreed: plan.digest, plainHttp: isAsked || knowsPlainHttp };
  const { outcome, running } = await withService(context, (service) => service.useModel(answer));
  const done = { ...plan, outcome, running };
  return {
    exitCode: EXIT.ok,
    document: done,
    lines: (page) => [...(isAsked ? [] : planLines(plan, page)), ...chosenLines(done)],
  };
}

function planned(plan: UseModelReply, exitCode: Reply["exitCode"]): Reply {
  return { exitCode, document: plan, lines: (page) => planLines(plan, page) };
}

async function agrees(plan: UseModelReply, { host, clock }: CommandContext): Promise<boolean> {
  const { out, env } = host;
  const page = pageFor(out, { env, now: clock.now() });
  printLines(out, planLines(plan, page), { colour: wantsColour(out, env) });
  return askYesNo(host, questionFor(plan));
}

function missingFlags(
  { unencrypted }: UseModelReply,
  { saysYes, knowsPlainHttp }: { readonly saysYes: boolean; readonly knowsPlainHttp: boolean },
): string[] {
  return [
    ...(saysYes ? [] : ["--yes"]),
    // A yes to everything is none to words that anybody on the way can read.
    ...(unencrypted && !knowsPlainHttp ? ["--allow-plain-http"] : []),
  ];
}

function needsFlags(flags: readonly string[], { host }: UseModelReply): AppError {
  const why = flags.includes("--yes")
    ? "nobody said yes to this"
    : `${host ?? ""} is not this machine, and words would go there unencrypted`;
  return new AppError({
    code: "needs-yes",
    message: `nothing was changed: ${why}`,
    fix: `if you agree, run it again with ${flags.join(" ")}`,
  });
}

function usage(code: string, message: string, fix: string): AppError {
  return new AppError({ code, message, fix, exitCode: EXIT.usage });
}
