// The sentences of `why`: what each code means for the person who typed the message. Data only.
import type { RefusalCode } from "../../domain/changes.ts";
import type { Reason } from "../../domain/account.ts";
import type { GateReason } from "../../learn/offline/gates.ts";

const GATE_MESSAGES: Readonly<Record<RefusalCode, string>> = {
  "bad-name": "its name cannot be a file name",
  "bad-path": "it would have been outside the memory folder",
  "bad-frontmatter": "its header could not be written",
  empty: "nothing was left to write",
  "too-large": "it was too large for one memory, or too many at once",
  "not-a-memory-file": "the file it meant is no memory",
  "no-evidence": "the words quoted for it do not carry it",
  unsupported: "it said more than the quoted words do",
  secret: "it held a secret; secrets are never stored",
  "permission-text": "it would have widened what an agent may do; such text is never stored",
  "excluded-kind": "its kind is not kept: code, history, the task at hand",
  restated:
    "an instruction file of the project says this already; engramd review accept stores it all the same",
  "already-known": "a memory says this already",
  "foreign-order": "it tells agents to do what only a tool, a page or the assistant asked for",
  "already-recorded": "these words were taken up before",
  "removed-before": "you removed this; only newly typed words bring it back",
  "changed-since-read": "somebody changed the file at the same moment; their text stands",
  "older-than-known": "the memory holds newer words than these",
  "other-project": "the file belongs to another project that shares the folder",
  "ambiguous-name": "several memories have that name",
  "unsafe-file": "the file is a link or has a second name, and is left alone",
  loss: "the run would have taken away too much at once; all of it was refused",
};

const SENTENCE_MESSAGES: Readonly<Record<GateReason | "paste", string>> = {
  question: "a question states nothing",
  courtesy: "it is said around the work, not about it",
  "one-off": "it is about this one time only",
  hypothetical: "it says what might be, not what is",
  sarcasm: "it says the opposite of what it means",
  reported: "it reports what somebody else says",
  secret: "it is about a secret; secrets are never stored",
  permission: "it would widen what an agent may do; such text is never stored",
  paste: "pasted text and documents are not your typed words",
};

const MESSAGES = {
  ignored: "you took this session back with engramd ignore",
  "ignored-copy": "it is a copy of words of a session that you took back with engramd ignore",
  headless: "a script sent it, and extract.headless is off",
  flood: "it came with more sessions of programs than are looked into: engramd sync --backfill all",
  observer: "another tool's program ran it in that tool's own folder",
  ours: "engramd ran it itself",
  "off-the-record": 'you said "off the record" before it',
  private: "it stands in <private>",
  "asked-not-to": "you asked not to remember it",
  "agent-already-wrote": "the agent wrote the memory itself in that turn",
  "extraction-off": "extract.enabled is off",
  "memory-off": "memory is switched off for this project",
  "mode-off": "the project's mode is off: it is read once the mode is auto or propose",
  "read-only": "the project's mode is read-only: it is read once the mode is auto or propose",
  old: "it is older than the first start reads: engramd sync --backfill all",
  crashed: "reading its transcript ended engramd three times: engramd sync --backfill all",
  "no-project": "its working folder is not known or is ignored",
  "taken-back": "you took back what it taught; only newly typed words bring it back",
  replaced: "the memory it taught is not there any more",
  candidate: "too weak to be saved by itself: said again in another session it is saved; see engramd review",
  proposed: "it waits for your yes, as the project's mode is propose: engramd review",
  "propose-mode": "the project's mode is propose: it waits for your yes",
  "said-once": "said once, and too weak to be saved by itself",
  "candidate-gone": "it was a candidate, and is no longer kept",
  "not-recorded": "it was read; what came of it is not recorded",
  "model-kept-nothing": "a model read it and proposed nothing from it",
  "no-cue": "it holds no request to remember, no standing rule and no remark the rules know",
  paused: "engramd is paused",
  "not-running": "engramd is not running: engramd run, or engramd sync",
  cancelled: "you cancelled the run that was to read it; new words or engramd sync read it",
  running: "a run reads this project now",
  queued: "a run waits for its turn",
  quiet: "engramd waits until you stop typing",
  "too-little-new": "a model waits for more text",
  resting:
    'the last runs of the model taught nothing here; "remember ...", engramd sync or a day let it read',
  "over-budget": "a ceiling of the budget is reached; engramd status says which",
  parked: "the memory folder cannot be written",
  delayed: "the run is put off",
  dead: "the run failed for good: engramd sync tries again",
  "next-round": "the next round finds it",
} as const;

export type WhyCode = keyof typeof MESSAGES;

export function reasonOf(code: WhyCode): Reason {
  return { code, message: MESSAGES[code] };
}

/** A refusal of the gate, or a sentence that is no memory; a code of a later version stands for itself. */
export function refusalReason(code: string): Reason {
  const known: Readonly<Record<string, string>> = { ...SENTENCE_MESSAGES, ...GATE_MESSAGES };
  return { code, message: Object.hasOwn(known, code) ? (known[code] ?? code) : code };
}

export function sentenceReason(gate: string): Reason {
  const known: Readonly<Record<string, string>> = SENTENCE_MESSAGES;
  return { code: gate, message: Object.hasOwn(known, gate) ? (known[gate] ?? gate) : gate };
}
