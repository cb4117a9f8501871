// Keeps the last answer of a pure function that is dear to ask. Nobody can tell but by the time it takes.

/** `make` must answer the same for the same key, whenever it is asked; keys and answers must not be changed. */
export function keepLast<K, T>(make: (key: K) => T): (key: K) => T {
  let last: { readonly key: K; readonly made: T } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, made: make(key) };
    return last.made;
  };
}
