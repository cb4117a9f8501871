// `engramd status --watch`: the status as it changes, until q, Ctrl-C or a signal. Asks at most once a second, and a
// daemon that is down or comes back is one more change. Only the engine has this file; `status` alone never loads it.
import type { AppError } from "../domain/errors.ts";
import { EXIT } from "../domain/errors.ts";
import { displayJson } from "../domain/printable.ts";
import type { Status } from "../domain/status.ts";
import { wait } from "../system/clock.ts";
import { startCommand } from "../serve/deliver/install/record.ts";
import { askStatus, lastStatus, NOT_RUNNING } from "./frame/ask-status.ts";
import type { AskedStatus } from "./frame/ask-status.ts";
import type { CommandContext, SilentReply } from "./frame/command.ts";
import type { Line } from "./render/line.ts";
import { EMPTY_LINE, line, span, wrap } from "./render/line.ts";
import { knownError, pageFor, printLines, wantsColour } from "./render/output.ts";
import { createScreen } from "./render/screen.ts";
import { statusLines } from "./render/status.ts";
import { clockTime } from "./render/time.ts";

/** Status bars ask every few seconds; a person sees no more than this. */
const ASK_EVERY_MS = 1_000;
/** Two frames a second at most, however often the terminal changes its size. */
const FRAME_EVERY_MS = 500;
// oxlint-disable no-control-regex -- keys are what this is about
/** Arrows, function keys and their like. */
const SEQUENCES = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])/gu;
/** q, Ctrl-C, Ctrl-D, and Escape alone. */
const LEAVES = /[qQ\u0003\u0004\u001b]/u;
// oxlint-enable no-control-regex

/** What is done with each answer. */
interface View {
  show(asked: AskedStatus): void;
  /** Gives back what was taken; may be called twice. */
  close(): void;
}

export async function run(context: CommandContext): Promise<SilentReply> {
  const { host, call, clock } = context;
  const leave = new AbortController();
  host.signals.onStop(() => leave.abort());
  const left = new Promise<undefined>((resolve) => {
    leave.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const isLive = !call.globals.json && host.out.isTerminal && host.env["TERM"] !== "dumb";
  const view = isLive ? liveView(context, leave) : plainView(context);
  try {
    while (!leave.signal.aborted && host.out.isClosed !== true) {
      // Whoever leaves does not wait for an answer.
      const asked = await Promise.race([ask(context), left]);
      if (asked === undefined) break;
      view.show(asked);
      await wait(clock, ASK_EVERY_MS, leave.signal);
    }
  } finally {
    view.close();
  }
  return { exitCode: EXIT.ok };
}

/** A daemon that refuses or is silent is shown as well: the next answer may be a better one. */
async function ask(context: CommandContext): Promise<AskedStatus> {
  try {
    return await askStatus(context);
  } catch (error) {
    return { status: lastStatus(context, startCommand(context)), problem: knownError(error) };
  }
}

/** One picture that stays in place. */
function liveView(context: CommandContext, leave: AbortController): View {
  const { host, clock } = context;
  const { out, env } = host;
  const screen = createScreen(out, { colour: wantsColour(out, env) });
  let asked: AskedStatus | undefined;
  let drawnAtMs = -Infinity;
  let isDue = false;
  const draw = () => {
    isDue = false;
    drawnAtMs = clock.monotonicMs();
    if (asked !== undefined) screen.draw(pictureOf(asked, context));
  };
  const drawSoon = () => {
    if (isDue) return;
    isDue = true;
    const waitMs = Math.max(0, drawnAtMs + FRAME_EVERY_MS - clock.monotonicMs());
    void wait(clock, waitMs, leave.signal).then(() => {
      if (!leave.signal.aborted) draw();
    });
  };
  const stopKeys = host.input.keys?.((key) => {
    if (LEAVES.test(key.replace(SEQUENCES, ""))) leave.abort();
  });
  // A crash ends the process without a word to us: the terminal is given back all the same.
  host.signals.onExit?.(screen.close);
  host.signals.onResize?.(() => {
    screen.forget();
    drawSoon();
  });
  return {
    show(next) {
      asked = next;
      drawSoon();
    },
    close() {
      stopKeys?.();
      screen.close();
    },
  };
}

function pictureOf({ status, problem }: AskedStatus, { host, clock }: CommandContext): Line[] {
  const page = pageFor(host.out, { env: host.env, now: clock.now() });
  const foot = `${clockTime(new Date(page.now).toISOString(), page.now)}  q or Ctrl-C leaves`;
  return [
    ...troubleLines(problem, page),
    ...statusLines(status, page),
    EMPTY_LINE,
    line(span(foot, "faint")),
  ];
}

/** That nobody runs stands among the warnings already. */
function troubleLines(problem: AppError | undefined, page: { readonly width: number }): Line[] {
  if (problem === undefined || problem.code === NOT_RUNNING) return [];
  return wrap(`! ${problem.message}`, { ...page, tone: "bad", indent: 2 });
}

/** One block, or one document a line, for each change. */
function plainView(context: CommandContext): View {
  const { host, call, clock } = context;
  const { out, env } = host;
  let before: string | undefined;
  return {
    show(asked) {
      const key = changeKey(asked);
      if (key === before) return;
      if (call.globals.json) out.write(`${displayJson(asked.status)}\n`);
      else {
        const now = clock.now();
        const page = pageFor(out, { env, now });
        const time = span(`${clockTime(new Date(now).toISOString(), now)}`, "faint");
        const gap = before === undefined ? [] : [EMPTY_LINE];
        const lines = [
          ...gap,
          line(time),
          ...troubleLines(asked.problem, page),
          ...statusLines(asked.status, page),
        ];
        printLines(out, lines, { colour: wantsColour(out, env) });
      }
      before = key;
    },
    close: () => undefined,
  };
}

/** Time that passes is no change: the warning that nobody runs says since when. */
function changeKey({ status, problem }: AskedStatus): string {
  const warnings: Status["warnings"] = status.warnings.filter(({ code }) => code !== NOT_RUNNING);
  return JSON.stringify([problem?.code, { ...status, warnings }]);
}
