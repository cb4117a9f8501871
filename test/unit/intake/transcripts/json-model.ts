// The truth `pickJson` is compared with: parse everything, then keep what is wanted.
import { cutText } from "../../../../src/intake/transcripts/json-text.ts";
import type { Want } from "../../../../src/intake/transcripts/json-pick.ts";

/** What a want takes out of a fully parsed value; `sized` facts come from the value's compact JSON text. */
export function project(value: unknown, want: Want): unknown {
  const picked = kept(value, want);
  if (want.sized === undefined) return picked;
  const text = JSON.stringify(value);
  return { value: picked, head: cutText(text, want.sized), bytes: Buffer.byteLength(text) };
}

function kept(value: unknown, want: Want): unknown {
  if (typeof value === "string") return cutText(value, want.chars);
  if (Array.isArray(value)) {
    const { items } = want;
    return items === undefined ? [] : value.map((item) => project(item, items));
  }
  if (typeof value !== "object" || value === null) return value;
  const members = [...(want.members?.values() ?? [])].filter(({ name }) => Object.hasOwn(value, name));
  return Object.fromEntries(
    members.map(({ name, want: inner }) => [name, project(Reflect.get(value, name), inner)]),
  );
}
