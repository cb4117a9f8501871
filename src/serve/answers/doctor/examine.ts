// Runs every check of `engramd doctor`: each within a time of its own, one failing never stopping the others.
import { AppError, messageOf } from "../../../domain/errors.ts";
import type { Clock } from "../../../system/clock.ts";
import type { Check, DoctorFacts, Finding } from "./check.ts";
import { fail } from "./check.ts";

export interface CheckReport extends Finding {
  readonly code: string;
  /** What `--fix` did for it, one sentence each. */
  readonly did: readonly string[];
}

export interface DoctorReport {
  readonly v: 1;
  readonly checks: readonly CheckReport[];
}

/** A check that has not answered by then is one that cannot. */
const CHECK_MS = 10_000;
/** A mend may have the service manager stop and start the service. */
const MEND_MS = 90_000;

export interface Examination {
  readonly checks: readonly Check[];
  readonly facts: DoctorFacts;
  /** Mend what is safe and our own. */
  readonly fix: boolean;
}

/** One after the other: a mend may be what the next check looks at. Never throws. */
export async function examine({ checks, facts, fix }: Examination): Promise<DoctorReport> {
  const reports: CheckReport[] = [];
  for (const check of checks) {
    const found = await look(check, facts);
    const mended = fix && found.state !== "ok" ? await mend(check, facts) : { did: [] };
    const after = mended.did.length === 0 ? found : await look(check, facts);
    reports.push({ code: check.code, ...(mended.failure ?? after), did: mended.did });
  }
  return { v: 1, checks: reports };
}

async function look(check: Check, facts: DoctorFacts): Promise<Finding> {
  try {
    return await within(facts.clock, CHECK_MS, async () => check.look(facts));
  } catch (error) {
    return failed("this could not be checked", error);
  }
}

interface Mended {
  readonly did: readonly string[];
  readonly failure?: Finding;
}

async function mend(check: Check, facts: DoctorFacts): Promise<Mended> {
  if (check.mend === undefined) return { did: [] };
  try {
    return { did: await within(facts.clock, MEND_MS, async () => check.mend?.(facts) ?? []) };
  } catch (error) {
    return { did: [], failure: failed("this could not be mended", error) };
  }
}

function failed(what: string, error: unknown): Finding {
  const fix = error instanceof AppError ? error.fix : undefined;
  return fail(`${what}: ${messageOf(error)}`, fix ?? "look at it by hand");
}

/** Whatever asks on after its time is over is not waited for: the command ends. */
function within<T>(clock: Clock, ms: number, act: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => reject(new Error(`no answer within ${ms / 1_000} s`)));
    act()
      .then(resolve, reject)
      .finally(() => timer.cancel());
  });
}
