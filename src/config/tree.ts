// Plain nested objects as JSON.parse makes them, changed by copying. Own keys only: `__proto__` is a name like any other.

export type Tree = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at `path`; undefined when any part of it is missing. */
export function valueAt(tree: unknown, path: Path): unknown {
  let value = tree;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}

/** A copy with `value` at `path`; what is no object on the way becomes one. */
export function withValueAt(
  tree: Tree,
  { path, value }: { readonly path: readonly string[]; readonly value: unknown },
): Tree {
  const [name, ...rest] = path;
  if (name === undefined) return tree;
  const inner = valueAt(tree, [name]);
  const changed = rest.length === 0 ? value : withValueAt(isTree(inner) ? inner : {}, { path: rest, value });
  return Object.fromEntries([...Object.entries(tree).filter(([key]) => key !== name), [name, changed]]);
}

/** A copy without the key at `path`. */
export function removeAt(tree: Tree, path: Path): Tree {
  const [name, ...rest] = path;
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) => {
      if (key !== name) return [[key, value]];
      if (rest.length === 0) return [];
      return [[key, isTree(value) ? removeAt(value, rest) : value]];
    }),
  );
}
