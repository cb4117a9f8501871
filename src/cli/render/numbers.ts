// Numbers as a person reads them. Pure.

/** `1,906`; the same in every language setting, because scripts compare output. */
export function countText(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${count === 1 ? noun : plural(noun)}`;
}

function plural(noun: string): string {
  return /[^aeiou]y$/u.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

const BYTE_UNITS = ["B", "KB", "MB", "GB"] as const;

/** `1.5 MB` */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[unit] ?? "B"}`;
}

/** Below the smallest price of a token: what adding up cents leaves behind them. */
const CENTS_NOISE = 1e-6;

/** `$0.90`; a part of a cent counts as one, so that nothing looks cheaper than it is. */
export function moneyText(usd: number): string {
  return `$${(Math.ceil(usd * 100 - CENTS_NOISE) / 100).toFixed(2)}`;
}
