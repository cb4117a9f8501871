// Builds JSON Schemas of our documents. What a schema describes is part of its type, so that a field the document's
// type gained or lost does not compile. Describes only; checks no value.

declare const describes: unique symbol;

/** A schema whatever it describes. */
export type AnySchema = Readonly<Record<string, unknown>>;

/** A JSON Schema (draft 2020-12) of values of exactly type `T`: a word missing from a choice does not compile either. */
export interface JsonSchema<in out T> extends AnySchema {
  readonly [describes]?: (value: T) => T;
}

/** A field that may be missing. */
export interface Optional<in out T> {
  readonly optional: JsonSchema<T>;
}

/** Every field of `T`: `maybe(...)` for exactly those that may be missing. */
type Fields<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : JsonSchema<T[K]>;
};

type Simple = "string" | "number" | "integer" | "boolean";

export const text: JsonSchema<string> = simple("string");
export const flag: JsonSchema<boolean> = simple("boolean");
/** Money, days, a score. */
export const amount: JsonSchema<number> = { ...simple<number>("number"), minimum: 0 };
export const count: JsonSchema<number> = { ...simple<number>("integer"), minimum: 0 };
export const instant: JsonSchema<string> = { ...simple<string>("string"), format: "date-time" };
/** Any JSON value. */
export const anything: JsonSchema<unknown> = {};

function simple<T>(type: Simple): JsonSchema<T> {
  return { type };
}

/** One of these words or numbers. */
export function oneOf<const T extends readonly (string | number | boolean)[]>(
  ...values: T
): JsonSchema<T[number]> {
  return values.length === 1 ? { const: values[0] } : { enum: values };
}

export function orNull<T>(schema: JsonSchema<T>): JsonSchema<T | null> {
  return { anyOf: [schema, { type: "null" }] };
}

/** A document of one kind or the other. */
export function either<A, B>(one: JsonSchema<A>, other: JsonSchema<B>): JsonSchema<A | B> {
  return { anyOf: [one, other] };
}

export function listOf<T>(items: JsonSchema<T>): JsonSchema<readonly T[]> {
  return { type: "array", items };
}

/** An object with any names. */
export function mapOf<T>(values: JsonSchema<T>): JsonSchema<Readonly<Record<string, T>>> {
  return { type: "object", additionalProperties: values };
}

export function maybe<T>(schema: JsonSchema<T>): Optional<T> {
  return { optional: schema };
}

/** Fields beyond these are allowed: a newer daemon has more. */
export function object<T extends object>(fields: Fields<T>): JsonSchema<T> {
  const all: [string, AnySchema][] = Object.entries(fields);
  const isRequired = ([, field]: [string, AnySchema]) => !Object.hasOwn(field, "optional");
  return {
    type: "object",
    properties: Object.fromEntries(all.map(([name, field]) => [name, field["optional"] ?? field])),
    required: all.filter(isRequired).map(([name]) => name),
  };
}

/** The same with a name under which the description of the socket refers to it. */
export function named<T>(title: string, schema: JsonSchema<T>): JsonSchema<T> {
  return { title, ...schema };
}
