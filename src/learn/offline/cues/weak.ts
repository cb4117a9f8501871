// Statements that may be worth keeping but are too weak to be saved by themselves: they wait for a second
// sighting or a person. Data, one line a class. Pure.
import type { MemoryType } from "../../../domain/memories.ts";

interface WeakCue {
  readonly cue: string;
  readonly type: MemoryType;
  readonly patterns: readonly RegExp[];
}

const WEAK: readonly WeakCue[] = [
  {
    cue: "identity",
    type: "user",
    patterns: [
      /^(?:\w+, )?i(?:'m| am) (?:an? |the |new to |colou?r-?blind|not a |responsible for )/iu,
      /^i work (?:as|on|in|at) |^my (?:role|background|job|team) is /iu,
      /^我(?:是|在).{0,20}(?:工程师|开发|负责|程序员|经理|设计师)/u,
      /^私は.{1,30}(?:です|担当|エンジニア)/u,
      /^ich (?:bin|arbeite als) /iu,
      /^(?:yo )?soy (?:un |una )?|^trabajo (?:como|en) /iu,
    ],
  },
  {
    cue: "reference",
    type: "reference",
    patterns: [
      /(?:https?:\/\/|\b[\w-]+\.(?:internal|corp|lan)\b|#[a-z][\w-]{2,}).{0,80}(?:track|dashboard|channel|docs?|board|wiki|runbook|bugs?|logs?)|(?:track|dashboard|channel|docs?|board|wiki|runbook|bugs?|logs?).{0,80}(?:https?:\/\/|#[a-z][\w-]{2,})/iu,
    ],
  },
  {
    cue: "decision",
    type: "project",
    patterns: [
      /\bwe(?:'ve| have)? (?:decided|agreed|settled on|already use)\b|\bthe decision is\b/iu,
      /(?:我们)?(?:决定|定了|商量好)/u,
      /(?:ことに(?:した|なった|しました|なりました)|決めました)/u,
      /\bwir haben (?:entschieden|beschlossen|uns geeinigt)\b/iu,
      /\bhemos decidido\b|\bdecidimos\b/iu,
    ],
  },
  {
    cue: "deadline",
    type: "project",
    patterns: [
      /\b(?:code freeze|freeze|deadline|release|launch|demo|ship(?:s|ping)?|go-live)\b.{0,60}\b(?:on|by|starts?|is|until|next|tomorrow|monday|tuesday|wednesday|thursday|friday|\d)/iu,
      /(?:上线|截止|发布|冻结|リリース|締め切り|締切)/u,
    ],
  },
  {
    cue: "correction",
    type: "feedback",
    patterns: [
      /^(?:no[,.]? |actually[,]? |that'?s wrong[,.\s-]*)*(?:(?:don'?t|do not|stop|never) \w+.{0,80}(?:, | - |; |\. )(?:use|instead)|use [^,.]{1,40}(?:,? not | instead of |, never ))/iu,
      /^(?:no[,.]? )?(?:please )?(?:stop|don'?t) (?:\w+ing|summari[sz]e|add|use|explain|apologi[sz]e)\b/iu,
      /^i (?:prefer|like|want|hate|dislike) /iu,
      /(?:别用|不要用|不用).{1,30}(?:用|改用)|用.{1,20}(?:不要|别)用/u,
      /ではなく|じゃなくて/u,
      /\bstatt(?:dessen)?\b|\bnicht .{1,30}, sondern\b/iu,
      /^no uses .{1,30}, usa |\ben lugar de\b|\ben vez de\b/iu,
    ],
  },
  {
    cue: "confirmation",
    type: "feedback",
    patterns: [
      /\bkeep (?:doing|using|\w+ing)\b|\bwas the right call\b|\bthat(?:'s| is) (?:exactly )?(?:how|what) i (?:want|like)\b/iu,
      /(?:就这样|保持)/u,
    ],
  },
];

export function weakCue(sentence: string): { readonly cue: string; readonly type: MemoryType } | undefined {
  const found = WEAK.find(({ patterns }) => patterns.some((pattern) => pattern.test(sentence)));
  return found === undefined ? undefined : { cue: found.cue, type: found.type };
}
