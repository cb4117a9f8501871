// Messages people really typed to coding agents, unlabelled: everything the rules would save or keep is printed, to
// be judged by reading.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Witness } from "./quality-memorycode.ts";
import { learn, tallyClass, type Classes } from "./quality-session.ts";
import { zoneNamed } from "../helpers/time-zone.ts";

export interface RealScore {
  readonly messages: number;
  readonly saved: number;
  readonly candidates: number;
  readonly msPerMessage: number;
  /** Nothing is labelled here, so nothing counts as right: read what `--show saved,candidate` prints. */
  readonly classes: Classes;
}

const SAID_AT = Date.parse("2026-03-03T10:00:00Z");

export async function scoreReal(file: string, witness: Witness): Promise<RealScore> {
  const messages = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as { readonly text: string });
  const classes: Classes = {};
  let saved = 0;
  let kept = 0;
  const started = performance.now();
  for (const [index, { text }] of messages.entries()) {
    const turns = [
      { role: "assistant" as const, text: "I have changed the file and all tests pass." },
      { role: "user" as const, text },
    ];
    const found = await learn({ id: `real-${index}`, turns, startMs: SAID_AT, timeZone: zoneNamed("UTC") });
    saved += found.saves.length;
    kept += found.candidates.length;
    for (const item of found.saves) tallyClass(classes, item, { is: "saved", right: false });
    for (const item of found.candidates) tallyClass(classes, item, { is: "kept", right: false });
    for (const { memory, cue } of found.saves) witness("saved", `[${cue}] ${memory.description}`);
    for (const { memory, cue } of found.candidates) witness("candidate", `[${cue}] ${memory.description}`);
    for (const { saved: item, message } of found.refused)
      witness("refused", `${message}: ${item.memory.description}`);
  }
  const msPerMessage = Math.round(((performance.now() - started) / Math.max(1, messages.length)) * 100) / 100;
  return { messages: messages.length, saved, candidates: kept, msPerMessage, classes };
}
