// What is rarely needed and cheap to make: kept while it is in use, made anew later. Never for what has a state.

/** `make`'s last result while the memory has not been wanted back since its use, else a new one. */
export function remade<T extends object>(make: () => T): () => T {
  let kept: WeakRef<T> | undefined;
  return () => {
    const known = kept?.deref();
    if (known !== undefined) return known;
    const made = make();
    kept = new WeakRef(made);
    return made;
  };
}
