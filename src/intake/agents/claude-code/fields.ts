// Reads single members of a picked record. Everything in a transcript is foreign: a wrong type is an absent member.
import type { Fields } from "../../../domain/json.ts";
import { fieldsOf } from "../../../domain/json.ts";
import type { Sized } from "../../transcripts/json-pick.ts";

/** A non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function itemsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((item) => item !== undefined) : [];
}

export function sizedOf(value: unknown): Sized {
  const fields = fieldsOf(value);
  const head = typeof fields?.["head"] === "string" ? fields["head"] : "";
  return {
    value: fields?.["value"],
    head,
    bytes: typeof fields?.["bytes"] === "number" ? fields["bytes"] : 0,
  };
}

/** Years outside are garbage or another unit. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
/** Stamps below this are in seconds: the same number in milliseconds lies before the year 2000. */
const SECONDS_BELOW = EARLIEST_MS;
const ISO_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

/** Milliseconds since the epoch; undefined for a stamp that names no certain moment. */
export function instantOf(value: unknown): number | undefined {
  const ms = typeof value === "number" ? fromNumber(value) : fromText(value);
  return ms !== undefined && ms >= EARLIEST_MS && ms < LATEST_MS ? ms : undefined;
}

function fromNumber(value: number): number {
  return Math.round(value < SECONDS_BELOW ? value * 1000 : value);
}

function fromText(value: unknown): number | undefined {
  if (typeof value !== "string" || !ISO_WITH_ZONE.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}
