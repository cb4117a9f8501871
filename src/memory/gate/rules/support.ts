// Support: a memory says nothing checkable that its sources do not say. The model's own additions stop here.
import type { MemoryChange } from "../../../domain/changes.ts";
import { type Claim, claimsOf, claimSource } from "../claims.ts";
import { clausesOf, isSaid, saidIn, standingClauses } from "../clauses.ts";
import { localDate } from "../../../domain/calendar.ts";
import { withoutKnownLinks } from "../links.ts";
import { proposedText, type ProposalFacts, type Refusal } from "../facts.ts";
import { spelledDates } from "../spelled-dates.ts";
import {
  citedMemories,
  memoryText,
  personUnits,
  personWords,
  resultingType,
  textOf,
  trustedMemories,
} from "../quotes.ts";

const DAY_MS = 86_400_000;
/** A date counted from "next spring" or "a year ago" lies within this distance of the statement. */
const RELATIVE_DAYS_MAX = 400;
/** Words a date can be counted from, in the five supported languages. */
const TIME_WORDS =
  /(?:\b(?:in|by|of|until|since|from|before|after|next|last|early|mid|late)[ -]|\d )may\b|\bmay \d|today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:jan|feb|mar|apr|june?|july?|aug|sept?|oct|nov|dec)|week|month|year|quarter|\bdays?\b|\bago\b|sprint|heute|morgen|gestern|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|woche|monat|jahr|\btage?n?\b|januar|märz|mai|juni|juli|oktober|dezember|hoy|mañana|ayer|lunes|martes|miércoles|jueves|viernes|sábado|domingo|semana|mes(?:es)?\b|años?|días?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|今|明|昨|后天|周|星期|礼拜|月|日|号|年|曜|来週|先週|\d{1,2}[./]\d{1,2}/iu;

type DraftedChange = MemoryChange & { readonly op: "create" | "update" };

export function supportRule(change: MemoryChange, facts: ProposalFacts): Refusal | undefined {
  if (!("memory" in change) || facts.producer === "person" || facts.producer === "upkeep") return undefined;
  return unsupportedClaim(change, facts) ?? unsupportedClause(change, facts);
}

function unsupportedClaim(change: DraftedChange, facts: ProposalFacts): Refusal | undefined {
  const cited = trustedMemories(change, facts).map(memoryText);
  const said = [personWords(change.evidence, facts), ...cited, otherWords(change, facts)].join("\n");
  const source = claimSource(said);
  const spelled = spelledDates(said);
  const text = withoutKnownLinks(draftText(change, facts), facts);
  const missing = claimsOf(text).find(
    (claim) =>
      !source.has(claim) &&
      !isInstructionFile(claim, facts) &&
      !(claim.kind === "date" && spelled.has(claim.text)) &&
      !isCountedTime(claim, change, facts),
  );
  if (missing === undefined) return undefined;
  return refuse(`this ${missing.kind} is not in the quoted words; ${MENDS[missing.kind] ?? MEND}`);
}

/** A statement may name the file whose rule it sharpens. */
function isInstructionFile({ kind, text }: Claim, { instructions }: ProposalFacts): boolean {
  return kind === "path" && instructions?.().some(({ name }) => name.toLowerCase() === text) === true;
}

const MEND = "leave it out or quote where it was said";
const MENDS: Readonly<Partial<Record<Claim["kind"], string>>> = {
  number: "leave it out or quote where it was said, and write dates as YYYY-MM-DD",
  date: "leave it out or quote the words it is counted from",
};

/** A model's name is its own choice and read by agents too; the offline rules make theirs from the person's words. */
function draftText(change: DraftedChange, facts: ProposalFacts): string {
  const name = facts.producer === "model" ? `${spokenName(change.memory.name)}\n` : "";
  return `${name}${proposedText(change)}`;
}

/** `always-use-pnpm-9` as words; a date stays one. */
function spokenName(name: string): string {
  return name.replace(/(?<!\d)[-_]|[-_](?!\d)/gu, " ");
}

/** Always and never come from the person, or from a memory that already says so. */
function unsupportedClause(change: DraftedChange, facts: ProposalFacts): Refusal | undefined {
  const { name, description, body } = change.memory;
  const said = saidIn([
    ...personUnits(change.evidence, facts),
    ...trustedMemories(change, facts).map(memoryText),
  ]);
  const clauses = [
    ...(facts.producer === "model" ? clausesOf(spokenName(name)) : []),
    ...clausesOf(description),
    ...standingClauses(body),
  ];
  if (clauses.every((clause) => isSaid(clause, said))) return undefined;
  return refuse("an always/never sentence is not in the person's quoted words; use the words that were said");
}

/** What assistants, tools and logs said may support a project or reference memory. */
function otherWords(change: MemoryChange, facts: ProposalFacts): string {
  const type = resultingType(change, facts);
  if (type !== "project" && type !== "reference") return "";
  return textOf(change.evidence);
}

/** Relative dates are stored as absolute ones: those may differ from the words, within reason. */
function isCountedTime(claim: Claim, change: MemoryChange, facts: ProposalFacts): boolean {
  if (claim.kind === "number") return isCountedYear(claim.text, change);
  if (claim.kind !== "date") return false;
  const known = [
    facts.today,
    ...citedMemories(change, facts).flatMap((memory) => [memory.confirmed, memory.modified?.slice(0, 10)]),
    ...change.evidence.map((item) =>
      item.at === undefined ? undefined : localDate(item.at, facts.timeZone),
    ),
  ];
  return known.includes(claim.text) || isWithinReach(Date.parse(claim.text), change);
}

/** The year of "last quarter"; the middle of it decides. */
function isCountedYear(text: string, change: MemoryChange): boolean {
  return /^(?:19|20)\d\d$/u.test(text) && isWithinReach(Date.parse(`${text}-07-01`), change);
}

function isWithinReach(date: number, { evidence }: MemoryChange): boolean {
  return evidence.some(
    (item) =>
      item.at !== undefined &&
      TIME_WORDS.test(item.quote) &&
      Math.abs(date - item.at) <= RELATIVE_DAYS_MAX * DAY_MS,
  );
}

function refuse(message: string): Refusal {
  return { reason: "unsupported", message };
}
