// Finds every keyword of a text in one pass, in any case (Aho-Corasick). Knows nothing about secrets.

export interface KeywordAutomaton {
  /** Calls `hit` for each keyword and each place it stands. */
  scan(text: string, hit: (keyword: number, at: number) => void): void;
}

/** Characters that are in no keyword share the first class and lead back to the root. */
const OTHER = 0;
const CODES = 65_536;

interface Node {
  readonly next: Map<number, number>;
  readonly keywords: number[];
  fallback: number;
}

/** `keywords` in lower case. */
export function createKeywordAutomaton(keywords: readonly string[]): KeywordAutomaton {
  const classes = characterClasses(keywords);
  const nodes = buildTrie(keywords, classes);
  const width = Math.max(...classes) + 1;
  const table = fillTable(nodes, width);
  const found = nodes.map((node) => node.keywords);
  const lengths = keywords.map((keyword) => keyword.length);
  return {
    scan(text, hit) {
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        state = table[state * width + (classes[text.charCodeAt(at)] ?? OTHER)] ?? 0;
        const ended = found[state];
        if (ended === undefined || ended.length === 0) continue;
        for (const keyword of ended) hit(keyword, at + 1 - (lengths[keyword] ?? 0));
      }
    },
  };
}

function characterClasses(keywords: readonly string[]): Uint8Array {
  const classes = new Uint8Array(CODES);
  const letters = [...new Set(keywords.join(""))];
  letters.forEach((letter, index) => {
    classes[letter.charCodeAt(0)] = index + 1;
    if (letter.toUpperCase().length === 1) classes[letter.toUpperCase().charCodeAt(0)] = index + 1;
  });
  return classes;
}

function buildTrie(keywords: readonly string[], classes: Uint8Array): Node[] {
  const nodes: Node[] = [{ next: new Map(), keywords: [], fallback: 0 }];
  keywords.forEach((keyword, index) => {
    let at = 0;
    for (let place = 0; place < keyword.length; place += 1) {
      const letter = classes[keyword.charCodeAt(place)] ?? OTHER;
      let next = nodes[at]?.next.get(letter);
      if (next === undefined) {
        next = nodes.length;
        nodes.push({ next: new Map(), keywords: [], fallback: 0 });
        nodes[at]?.next.set(letter, next);
      }
      at = next;
    }
    nodes[at]?.keywords.push(index);
  });
  return nodes;
}

/** Breadth first, so that a node's fallback is finished before the node. */
function fillTable(nodes: readonly Node[], width: number): Int32Array {
  const table = new Int32Array(nodes.length * width);
  const queue = [0];
  for (let read = 0; read < queue.length; read += 1) {
    const at = queue[read] ?? 0;
    const node = nodes[at];
    if (node === undefined) continue;
    if (at !== 0) node.keywords.push(...(nodes[node.fallback]?.keywords ?? []));
    for (let letter = 0; letter < width; letter += 1) {
      const inherited = at === 0 ? 0 : (table[node.fallback * width + letter] ?? 0);
      const next = node.next.get(letter);
      table[at * width + letter] = next ?? inherited;
      const child = next === undefined ? undefined : nodes[next];
      if (next === undefined || child === undefined) continue;
      child.fallback = inherited;
      queue.push(next);
    }
  }
  return table;
}
