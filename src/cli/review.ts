// `engramd review [list|show|accept|reject]`: what waits for a person, one item with what it would change, and the
// person's yes or no to it.
import { AppError, EXIT } from "../domain/errors.ts";
import type { DecideReply, DecideRequest, InboxItemView, InboxReply } from "../domain/inbox.ts";
import { askYesNo, canAsk } from "./frame/ask.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { projectOf, withService } from "./frame/service.ts";
import { pageFor, printLines, wantsColour } from "./render/output.ts";
import { decidedLines, inboxLines, itemLines } from "./render/review.ts";

export const ACTIONS = ["list", "show", "accept", "reject"] as const;

const NOTHING_DECIDED: DecideReply = { v: 1, items: [], message: "nothing waits" };

export async function run(context: CommandContext): Promise<Reply> {
  const [what = "list", ...ids] = context.call.words;
  const [option] = context.call.options.keys();
  if (what === "accept" || what === "reject") return decide(context, { what, ids });
  if (option !== undefined) throw usage("bad-usage", `--${option} goes with accept and reject`);
  const [id] = ids;
  if (what === "list" && id === undefined) return list(context);
  if (what === "show" && id !== undefined && ids.length === 1) return show(context, id);
  throw what === "list" || what === "show"
    ? usage("bad-usage", what === "show" ? "show takes one id" : "list takes no id")
    : usage("unknown-action", `review cannot ${what}`);
}

async function list(context: CommandContext): Promise<Reply> {
  const found = await look(context, {});
  return { exitCode: EXIT.ok, document: found, lines: (page) => inboxLines(found, page) };
}

async function show(context: CommandContext, id: string): Promise<Reply> {
  const found = await look(context, { id });
  return {
    exitCode: EXIT.ok,
    document: found,
    lines: (page) => found.items.flatMap((item) => itemLines(item, page)),
  };
}

function look(context: CommandContext, { id }: { readonly id?: string }): Promise<InboxReply> {
  const isOne = context.call.globals.project !== undefined;
  const request = { ...(id === undefined ? {} : { id }), ...(isOne ? { project: projectOf(context) } : {}) };
  return withService(context, (service) => service.inbox(request), { looksOnly: true });
}

interface Decision {
  readonly what: "accept" | "reject";
  readonly ids: readonly string[];
}

async function decide(context: CommandContext, decision: Decision): Promise<Reply> {
  const { call } = context;
  const isAll = call.options.has("all");
  if (isAll === decision.ids.length > 0) {
    throw usage("bad-usage", `${decision.what} takes ids, or --all`);
  }
  if (!isAll) {
    const isOne = call.globals.project !== undefined;
    const request = { ids: decision.ids.join(","), ...(isOne ? { project: projectOf(context) } : {}) };
    return told(await send(context, decision, request));
  }
  const project = projectOf(context);
  if (call.options.has("yes")) return told(await send(context, decision, { all: true, project }));
  return decideAll(context, { ...decision, project });
}

/** What is decided is what was shown: an item that comes meanwhile is not among the ids. */
async function decideAll(
  context: CommandContext,
  decision: Decision & { readonly project: string },
): Promise<Reply> {
  const { what, project } = decision;
  const found = await withService(context, (service) => service.inbox({ project }), { looksOnly: true });
  const items = found.items.filter(({ kind }) => what === "reject" || kind !== "quarantine");
  const shown = { ...found, items };
  const answer = { document: shown, lines: (page: Parameters<Reply["lines"]>[0]) => inboxLines(shown, page) };
  if (items.length === 0) return { ...answer, document: NOTHING_DECIDED, exitCode: EXIT.ok };
  const { host, call } = context;
  // A document of this command says what was decided.
  if (call.globals.json) throw needsYes(what);
  if (!canAsk(host)) return { ...answer, exitCode: EXIT.failed, problem: needsYes(what) };
  if (!(await agrees(shown, { context, what }))) return { ...answer, exitCode: EXIT.failed, lines: () => [] };
  return told(await send(context, decision, { ids: items.map(({ id }: InboxItemView) => id).join(",") }));
}

async function agrees(
  shown: InboxReply,
  { context, what }: { readonly context: CommandContext; readonly what: Decision["what"] },
): Promise<boolean> {
  const { host, clock } = context;
  const { out, env } = host;
  const page = pageFor(out, { env, now: clock.now() });
  printLines(out, inboxLines(shown, page), { colour: wantsColour(out, env) });
  return askYesNo(host, `${what === "accept" ? "Accept" : "Reject"} all of this?`);
}

function send(
  context: CommandContext,
  { what }: Pick<Decision, "what">,
  request: DecideRequest,
): Promise<DecideReply> {
  return withService(context, (service) =>
    what === "accept" ? service.acceptItems(request) : service.rejectItems(request),
  );
}

/** What could not be accepted is a failure: somebody counts on it being there. */
function told(reply: DecideReply): Reply {
  const answer = {
    document: reply,
    lines: (page: Parameters<Reply["lines"]>[0]) => decidedLines(reply, page),
  };
  const refused = reply.items.filter(({ outcome }) => outcome === "refused");
  const [first] = refused;
  if (first === undefined) return { ...answer, exitCode: EXIT.ok };
  const problem = new AppError({
    code: "not-accepted",
    message: `${first.id}: ${first.reason?.message ?? "it could not be accepted"}`,
    fix: `look at it: engramd review show ${first.id}; or drop it: engramd review reject ${first.id}`,
  });
  return { ...answer, exitCode: EXIT.failed, problem };
}

function needsYes(what: Decision["what"]): AppError {
  return new AppError({
    code: "needs-yes",
    message: `nothing was ${what}ed: nobody said yes to this`,
    fix: "if you agree, run it again with --yes",
  });
}

function usage(code: string, message: string): AppError {
  return new AppError({
    code,
    message,
    fix: `use: engramd review [${ACTIONS.join("|")}] [ID...]`,
    exitCode: EXIT.usage,
  });
}
