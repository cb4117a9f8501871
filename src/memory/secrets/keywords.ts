// Finds every keyword of a text in one pass, in any case (Aho-Corasick). Knows nothing about secrets.

export interface KeywordAutomaton {
  /** Calls `hit` for each keyword and each place it stands. */
  scan(text: string, hit: (keyword: number, at: number) => void): void;
}

/** Characters that are in no keyword share the first class and lead back to the root. */
const OTHER = 0;
const CODES = 65_536;
/** Two bytes a cell; our own keywords make 1,600. */
const STATES_MAX = 65_536;

/** `keywords` in lower case. */
export function createKeywordAutomaton(keywords: readonly string[]): KeywordAutomaton {
  const { classes, width } = characterClasses(keywords);
  const { edges, found } = buildTree(keywords, classes);
  const table = fillTable({ edges, found, width });
  const lengths = keywords.map((keyword) => keyword.length);
  return {
    scan(text, hit) {
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        state = table[state * width + (classes[text.charCodeAt(at)] ?? OTHER)] ?? 0;
        const ended = found[state];
        if (ended === undefined) continue;
        for (const keyword of ended) hit(keyword, at + 1 - (lengths[keyword] ?? 0));
      }
    },
  };
}

interface Classes {
  /** Class of each UTF-16 unit. */
  readonly classes: Uint8Array;
  readonly width: number;
}

function characterClasses(keywords: readonly string[]): Classes {
  const classes = new Uint8Array(CODES);
  const letters = [...new Set(keywords.join(""))];
  letters.forEach((letter, index) => {
    classes[letter.charCodeAt(0)] = index + 1;
    if (letter.toUpperCase().length === 1) classes[letter.toUpperCase().charCodeAt(0)] = index + 1;
  });
  return { classes, width: letters.length + 1 };
}

interface Tree {
  /** For each state the classes that lead on from it, and where to; state 0 is the root. */
  readonly edges: { readonly letter: number; readonly next: number }[][];
  /** Keywords that have ended when a state is reached. */
  readonly found: (readonly number[] | undefined)[];
}

function buildTree(keywords: readonly string[], classes: Uint8Array): Tree {
  const edges: Tree["edges"] = [[]];
  const found: Tree["found"] = [undefined];
  keywords.forEach((keyword, index) => {
    let state = 0;
    for (let place = 0; place < keyword.length; place += 1) {
      const letter = classes[keyword.charCodeAt(place)] ?? OTHER;
      const known = edges[state]?.find((edge) => edge.letter === letter);
      const next = known?.next ?? edges.length;
      if (known === undefined) {
        edges[state]?.push({ letter, next });
        edges.push([]);
        found.push(undefined);
      }
      state = next;
    }
    found[state] = [...(found[state] ?? []), index];
  });
  return { edges, found };
}

/**
 * From where a character leads nowhere, it leads where it does from the longest proper end of what was read. Rows are
 * copied whole: a loop over every cell was most of what engramd's start cost (measured).
 */
function fillTable({ edges, found, width }: Tree & Pick<Classes, "width">): Uint16Array {
  if (edges.length > STATES_MAX) throw new RangeError(`${edges.length} states, at most ${STATES_MAX}`);
  const table = new Uint16Array(edges.length * width);
  const fallbacks = new Uint16Array(edges.length);
  const queue = [0];
  // Breadth first, so that the row that is copied is finished.
  for (let read = 0; read < queue.length; read += 1) {
    const state = queue[read] ?? 0;
    const fallback = fallbacks[state] ?? 0;
    if (state !== 0) {
      table.copyWithin(state * width, fallback * width, (fallback + 1) * width);
      const ended = found[fallback];
      if (ended !== undefined) found[state] = [...(found[state] ?? []), ...ended];
    }
    for (const { letter, next } of edges[state] ?? []) {
      fallbacks[next] = table[state * width + letter] ?? 0;
      table[state * width + letter] = next;
      queue.push(next);
    }
  }
  return table;
}
