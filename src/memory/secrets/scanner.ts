// Finds secrets in any text and masks them. Never returns, logs or keeps a secret's value.
import { SECRET_RULES } from "./table.ts";

export interface FoundSecret {
  readonly rule: string;
  /** UTF-16 offsets of the secret itself. */
  readonly start: number;
  readonly end: number;
}

export interface MaskedText {
  readonly text: string;
  /** How many of each rule were masked. */
  readonly found: ReadonlyMap<string, number>;
}

export function findSecrets(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const rule of SECRET_RULES) {
    for (const match of text.matchAll(rule.pattern)) {
      const value = match[1] ?? match[0];
      const start = match.index + match[0].indexOf(value);
      found.push({ rule: rule.id, start, end: start + value.length });
    }
  }
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

export function maskSecrets(text: string): MaskedText {
  const found = new Map<string, number>();
  let masked = "";
  let from = 0;
  for (const secret of findSecrets(text)) {
    if (secret.end <= from) continue;
    masked += `${text.slice(from, Math.max(from, secret.start))}[secret:${secret.rule}]`;
    from = secret.end;
    found.set(secret.rule, (found.get(secret.rule) ?? 0) + 1);
  }
  return { text: masked + text.slice(from), found };
}
