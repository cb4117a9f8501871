// The fields of a request, as data: from one description the daemon judges what it is sent and tells, in its OpenAPI
// document, what may be sent. Judges values, never looks at what they mean.
import { PATH_CHARS_MAX } from "../../domain/limits.ts";
import type { AnySchema, JsonSchema } from "./json-schema.ts";
import * as is from "./json-schema.ts";

export interface Field<in out T, out R extends boolean> {
  readonly schema: JsonSchema<T>;
  /** What the field does, for a person. */
  readonly sentence: string;
  /** What it has to be, in words: "... has to be true or false". */
  readonly allowed: string;
  readonly required: R;
}

export type AnyField = Pick<Field<never, boolean>, "sentence" | "allowed" | "required"> & {
  readonly schema: AnySchema;
};

/** A field for each of `T`: required ones for exactly those that must be given. */
export type FieldsOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K>
    ? Field<Exclude<T[K], undefined>, false>
    : Field<T[K], true>;
};

export function path(sentence: string): Field<string, false> {
  const schema = { ...is.text, maxLength: PATH_CHARS_MAX, pattern: "^/[^\\u0000]*$" };
  return { schema, sentence, allowed: "an absolute path", required: false };
}

/** Text that says something: one blank is nothing. */
export function text(sentence: string, { charsMax }: { readonly charsMax: number }): Field<string, false> {
  const schema = { ...is.text, maxLength: charsMax, pattern: "\\S" };
  return { schema, sentence, allowed: `text of at most ${charsMax} characters`, required: false };
}

export function flag(sentence: string): Field<boolean, false> {
  return { schema: is.flag, sentence, allowed: "true or false", required: false };
}

interface Range {
  readonly min: number;
  readonly max: number;
}

export function whole(sentence: string, { min, max }: Range): Field<number, false> {
  const schema = { ...is.count, minimum: min, maximum: max };
  return { schema, sentence, allowed: `a whole number from ${min} to ${max}`, required: false };
}

/** A whole number, or the word `or`. */
export function wholeOr<const W extends string>(
  sentence: string,
  { min, max, or }: Range & { readonly or: W },
): Field<number | W, false> {
  const number = whole(sentence, { min, max });
  const schema = { anyOf: [number.schema, { const: or }] };
  return { schema, sentence, allowed: `${number.allowed} or ${JSON.stringify(or)}`, required: false };
}

export function choice<const T extends readonly string[]>(
  sentence: string,
  choices: T,
): Field<T[number], false> {
  return {
    schema: is.oneOf(...choices),
    sentence,
    allowed: `one of ${choices.join(", ")}`,
    required: false,
  };
}

export function required<T>(field: Field<T, false>): Field<T, true> {
  return { ...field, required: true };
}

/** Whether a value is what the schema describes; knows the keywords this file uses. */
export function fits(value: unknown, schema: AnySchema): boolean {
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.some((one: AnySchema) => fits(value, one));
  if (Object.hasOwn(schema, "const")) return value === schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value);
  if (schema["type"] === "boolean") return typeof value === "boolean";
  if (schema["type"] === "integer") return isWithin(value, schema);
  return schema["type"] === "string" && isText(value, schema);
}

function isWithin(value: unknown, { minimum, maximum }: AnySchema): boolean {
  return Number.isSafeInteger(value) && Number(value) >= Number(minimum) && Number(value) <= Number(maximum);
}

function isText(value: unknown, { maxLength, pattern }: AnySchema): boolean {
  if (typeof value !== "string") return false;
  // A character beyond the first plane is two units.
  const isShort = value.length <= Number(maxLength) || Array.from(value).length <= Number(maxLength);
  return isShort && new RegExp(String(pattern), "u").test(value);
}

/** What a query's text stands for: a query knows no other type. The text itself where it fits nothing. */
export function fromQuery(value: string, schema: AnySchema): unknown {
  if (schema["type"] === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (schema["type"] === "integer" && /^\d{1,15}$/.test(value)) return Number(value);
  return value;
}
