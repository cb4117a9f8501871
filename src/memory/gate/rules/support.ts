// Support: a memory says nothing checkable that its sources do not say. The model's own additions stop here.
import type { MemoryChange } from "../../../domain/changes.ts";
import { type Claim, claimsOf, claimSource } from "../claims.ts";
import { isSaid, standingClauses } from "../clauses.ts";
import { localDate } from "../../../domain/calendar.ts";
import { proposedText, type ProposalFacts, type Refusal } from "../facts.ts";
import { citedMemories, memoryText, personWords, resultingType } from "../quotes.ts";

const DAY_MS = 86_400_000;
/** A date counted from "next spring" or "a year ago" lies within this distance of the statement. */
const RELATIVE_DAYS_MAX = 400;
/** Words a date can be counted from, in the five supported languages. */
const TIME_WORDS =
  /today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)|week|month|year|quarter|\bdays?\b|\bago\b|sprint|heute|morgen|gestern|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|woche|monat|jahr|\btage?n?\b|januar|märz|mai|juni|juli|oktober|dezember|hoy|mañana|ayer|lunes|martes|miércoles|jueves|viernes|sábado|domingo|semana|mes(?:es)?\b|años?|días?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|今|明|昨|后天|周|星期|礼拜|月|日|号|年|曜|来週|先週|\d{1,2}[./]\d{1,2}/iu;

export function supportRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer === "person" || facts.producer === "upkeep") return undefined;
  return unsupportedClaim(change, facts) ?? unsupportedClause(change, facts);
}

function unsupportedClaim(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  const source = claimSource(`${saidWords(change, facts)}\n${otherWords(change, facts)}`);
  const missing = claimsOf(proposedText(change)).find(
    (claim) => !source.has(claim) && !(claim.kind === "date" && isCountedDate(claim, change, facts)),
  );
  if (missing === undefined) return undefined;
  return refuse(`this ${missing.kind} is not in the quoted words; leave it out or quote where it was said`);
}

/** Always and never come from the person, or from a memory that already says so. */
function unsupportedClause(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change)) return undefined;
  const said = saidWords(change, facts);
  const clauses = [...standingClauses(change.memory.description), ...standingClauses(change.memory.body)];
  if (clauses.every((clause) => isSaid(clause, said))) return undefined;
  return refuse("an always/never sentence is not in the person's quoted words; use the words that were said");
}

function saidWords(change: MemoryChange, facts: ProposalFacts): string {
  const cited = citedMemories(change, facts).map(memoryText);
  return [personWords(change.evidence), ...cited].join("\n");
}

/** What assistants, tools and logs said may support a project or reference memory. */
function otherWords(change: MemoryChange, facts: ProposalFacts): string {
  const type = resultingType(change, facts);
  if (type !== "project" && type !== "reference") return "";
  return change.evidence.map((item) => item.quote).join("\n");
}

/** Relative dates are stored as absolute ones: those may differ from the words, within reason. */
function isCountedDate(claim: Claim, change: MemoryChange, facts: ProposalFacts): boolean {
  const known = [
    facts.today,
    ...citedMemories(change, facts).flatMap((memory) => [memory.confirmed, memory.modified?.slice(0, 10)]),
    ...change.evidence.map((item) =>
      item.at === undefined ? undefined : localDate(item.at, facts.timeZone),
    ),
  ];
  if (known.includes(claim.text)) return true;
  const date = Date.parse(claim.text);
  return change.evidence.some(
    (item) =>
      item.at !== undefined &&
      TIME_WORDS.test(item.quote) &&
      Math.abs(date - item.at) <= RELATIVE_DAYS_MAX * DAY_MS,
  );
}

function refuse(message: string): Refusal {
  return { reason: "unsupported", message };
}
