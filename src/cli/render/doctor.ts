// What `doctor` says: what needs a person first, then what was mended, then what is fine.
import type { CheckReport, DoctorReport } from "../../serve/answers/doctor/examine.ts";
import type { Line, Page, Tone } from "./line.ts";
import { EMPTY_LINE, line, span, wrap } from "./line.ts";
import { withClockTimes } from "./time.ts";

const RANK = { fail: 0, warn: 1, ok: 2 } as const;
const TONES: Readonly<Record<CheckReport["state"], Tone>> = { fail: "bad", warn: "warn", ok: "faint" };

export function doctorLines({ checks }: DoctorReport, page: Page): Line[] {
  const sorted = checks.toSorted((a, b) => RANK[a.state] - RANK[b.state]);
  const problems = sorted.filter(({ state }) => state !== "ok");
  const fine = sorted.filter(({ state }) => state === "ok");
  return [
    headLine(problems, checks),
    ...problems.flatMap((check) => checkLines(check, page)),
    ...(problems.length > 0 && fine.length > 0 ? [EMPTY_LINE] : []),
    ...fine.flatMap((check) => checkLines(check, page)),
  ];
}

function headLine(problems: readonly CheckReport[], checks: readonly CheckReport[]): Line {
  if (problems.length === 0) return line(span(`nothing is wrong (${checks.length} checks)`, "good"));
  const failed = problems.filter(({ state }) => state === "fail").length;
  const text = `${problems.length} of ${checks.length} checks found something`;
  return line(span(text, failed > 0 ? "bad" : "warn"));
}

function checkLines({ code, state, message, fix, did }: CheckReport, page: Page): Line[] {
  return [
    ...wrap(`${state} ${code}: ${withClockTimes(message, page.now)}`, {
      ...page,
      tone: TONES[state],
      indent: 5,
    }),
    ...(fix === null ? [] : wrap(`fix: ${fix}`, { ...page, firstIndent: 5, indent: 7 })),
    ...did.flatMap((done) => wrap(`done: ${done}`, { ...page, tone: "good", firstIndent: 5, indent: 7 })),
  ];
}
