// Plain nested objects as JSON.parse makes them, changed by copying. Own keys only: `__proto__` is a name like any other.
import type { Fields } from "../domain/json.ts";
import { fieldOf, isFields } from "../domain/json.ts";

export type Tree = Fields;
type Path = readonly PropertyKey[];

/** The value at `path`; undefined when any part of it is missing. */
export function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, name) => fieldOf(value, name), tree);
}

/** A copy with `value` at `path`; what is no object on the way becomes one. */
export function withValueAt(
  tree: Tree,
  { path, value }: { readonly path: readonly string[]; readonly value: unknown },
): Tree {
  const [name, ...rest] = path;
  if (name === undefined) return tree;
  const inner = valueAt(tree, [name]);
  const changed =
    rest.length === 0 ? value : withValueAt(isFields(inner) ? inner : {}, { path: rest, value });
  return Object.fromEntries([...Object.entries(tree).filter(([key]) => key !== name), [name, changed]]);
}

/** A copy without the key at `path`. */
export function removeAt(tree: Tree, path: Path): Tree {
  const [name, ...rest] = path;
  return Object.fromEntries(
    Object.entries(tree).flatMap(([key, value]) => {
      if (key !== name) return [[key, value]];
      if (rest.length === 0) return [];
      return [[key, isFields(value) ? removeAt(value, rest) : value]];
    }),
  );
}
