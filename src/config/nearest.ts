// Finds the known word a person most likely meant. Pure.

/** The known word with the fewest letters to change; undefined only when there is no known word. */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = distanceOf(word, candidate);
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Of a word this long one letter more may be wrong. */
const CHARS_A_MISTAKE = 3;

/** The known word that `word` is a misspelling or the start of; undefined where it looks like something else. */
export function closeTo(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((each) => word.length >= CHARS_A_MISTAKE && each.startsWith(word.toLowerCase()));
  const nearest = begun[0] ?? nearestOf(word, known);
  if (nearest === undefined || begun.length > 0) return nearest;
  const wrong = distanceOf(word, nearest);
  return wrong <= Math.max(1, Math.floor(word.length / CHARS_A_MISTAKE)) ? nearest : undefined;
}

/** Longer words are compared by their start: distance costs the product of both lengths. */
const COMPARED_CHARS = 80;

/** Right name in the wrong group, or the other way round, is nearer than any misspelling of it. */
function distanceOf(word: string, candidate: string): number {
  const whole = editDistance(word, candidate);
  const lastOnly = editDistance(lastName(word), lastName(candidate)) + 1;
  return Math.min(whole, lastOnly + whole / 100);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

/** Letters to insert, remove or replace (Levenshtein), blind to case. */
function editDistance(left: string, right: string): number {
  const a = left.toLowerCase().slice(0, COMPARED_CHARS);
  const b = right.toLowerCase().slice(0, COMPARED_CHARS);
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
