// Keeps recent answers of a pure function of text that is dear to ask, within a bound. Nobody can tell but by the time
// it takes.

/**
 * `make` must answer the same for the same text, whenever it is asked; its answers must not be changed. The texts kept
 * have `charsMax` characters together; those not asked for longest go first.
 */
export function keepRecent<T extends object>(
  make: (text: string) => T,
  charsMax: number,
): (text: string) => T {
  const kept = new Map<string, T>();
  let chars = 0;
  return (text) => {
    const known = kept.get(text);
    const made = known ?? make(text);
    if (known === undefined) chars += text.length;
    // Last in the order of the map.
    kept.delete(text);
    kept.set(text, made);
    for (const oldest of kept.keys()) {
      if (chars <= charsMax) break;
      kept.delete(oldest);
      chars -= oldest.length;
    }
    return made;
  };
}
