// Secrets that are more than one token: key blocks, wrapped tokens, manifests. Every search is bounded, so that a
// hostile text costs no more than an honest one.
import { type Range, type SecretRule, shaped } from "./rule.ts";

/** Longest armoured key looked at; 16,384-bit RSA has 12.5 KB. */
const KEY_CHARS_MAX = 16_000;
/** A body below this is an example. */
const KEY_BODY_CHARS_MIN = 64;
const KEY_HEAD = /^-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/iu;
const KEY_HEAD_CHARS_MAX = 150;
/** How far from `kind: Secret` its data map may stand. */
const MANIFEST_CHARS_MAX = 2_000;
const INDENT_CHARS_MAX = 40;

/** Armoured private keys; one whose end was cut off is masked as far as it goes. */
const privateKey: SecretRule = {
  id: "private-key",
  keywords: ["-----begin"],
  find(text, at) {
    const head = KEY_HEAD.exec(text.slice(at, at + KEY_HEAD_CHARS_MAX))?.[0];
    if (head === undefined) return [];
    // Up to the next key only: many openings in a row must not each read on to the end.
    const window = text.slice(at + head.length, at + KEY_CHARS_MAX);
    const next = window.search(/-----BEGIN/iu);
    const rest = next === -1 ? window : window.slice(0, next);
    const body = /^[A-Za-z0-9+/=\s\\"',:;()_.@>#|-]*/u.exec(rest)?.[0] ?? "";
    const close = /-----END[ A-Z0-9_-]{0,100}KEY(?: BLOCK)?-----/iu.exec(rest);
    if (close !== null && close.index <= body.length) {
      const end = at + head.length + close.index + close[0].length;
      return close.index >= KEY_BODY_CHARS_MIN ? [{ start: at, end }] : [];
    }
    const dense = body.replace(/[^A-Za-z0-9+/=]/gu, "").length;
    return dense >= KEY_BODY_CHARS_MIN ? [{ start: at, end: at + head.length + body.length }] : [];
  },
};

/** A JWT encoded once more: base64 of `eyJ...`. */
const wrappedJwt = shaped({
  id: "jwt-base64",
  keywords: ["zxlk"],
  pattern: "(?<![A-Za-z0-9+/])ZXlK[A-Za-z0-9+/_-]{40,8000}={0,2}",
  entropy: 2,
  accept(value) {
    const once = Buffer.from(value.slice(0, 160), "base64").toString("latin1");
    const twice = Buffer.from(once.split(".", 1)[0] ?? "", "base64").toString("latin1");
    return once.startsWith("eyJ") && /^\{\s*"[\w#:.-]{1,20}"\s*:/u.test(twice);
  },
});

/** To the end of its line, which may be written out (`\\n`) or close a quote. */
const SECRET_KIND = /^kind["']?:[ \t]*["']?secret["']?[ \t]*(?:#|\r?\n|\\n|$)/iu;
const SECRET_KIND_CHARS_MAX = 60;

/** Values under `data:` of a Kubernetes manifest of kind Secret. */
const manifest: SecretRule = {
  id: "kubernetes-secret-yaml",
  keywords: ["kind"],
  find(text, at) {
    if (/\w/u.test(text.charAt(at - 1)) || !SECRET_KIND.test(text.slice(at, at + SECRET_KIND_CHARS_MAX)))
      return [];
    const { start, document } = manifestAround(text, at);
    return dataValues(document).map((range) => ({ start: range.start + start, end: range.end + start }));
  },
};

/** The document `at` stands in. It has one kind at its depth, so a neighbouring one is its border too. */
function manifestAround(text: string, at: number): { readonly start: number; readonly document: string } {
  const indent = /[ \t]*["']?$/u.exec(text.slice(Math.max(0, at - INDENT_CHARS_MAX), at))?.[0] ?? "";
  // The nearer border first: what is searched for the other one is then short, however many there are.
  let before = text.slice(Math.max(0, at - MANIFEST_CHARS_MAX), at);
  let after = text.slice(at, at + MANIFEST_CHARS_MAX);
  for (const border of [`\n${indent}kind`, "\n---"]) {
    before = before.slice(before.lastIndexOf(border) + 1);
    const end = after.indexOf(border);
    if (end !== -1) after = after.slice(0, end);
  }
  return { start: at - before.length, document: before + after };
}

function dataValues(document: string): Range[] {
  const found: Range[] = [];
  let depth: number | undefined;
  let offset = 0;
  for (const line of document.split(/(?<=\n|\\n)/u)) {
    const indent = /^[ \t]*/u.exec(line)?.[0].length ?? 0;
    const text = line.replace(/\\n$/u, "").trim();
    if (/^["']?data["']?:$/u.test(text)) depth = indent;
    else if (depth !== undefined && text !== "" && !text.startsWith("#")) {
      if (indent <= depth) depth = undefined;
      else {
        // Plain, quoted, or a line of a block value.
        const value = /^(?:["']?[\w.-]+["']?:[ \t]*)?(["']?)([A-Za-z0-9+/]{8,}={0,2})\1(?![\w+/=:.-])/u.exec(
          text,
        )?.[2];
        if (value !== undefined && value.length >= 10) {
          const start = offset + line.lastIndexOf(value);
          found.push({ start, end: start + value.length });
        }
      }
    }
    offset += line.length;
  }
  return found;
}

export const BLOCK_FORMATS: readonly SecretRule[] = [privateKey, wrappedJwt, manifest];
