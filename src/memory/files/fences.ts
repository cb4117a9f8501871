// Finds the `---` fences of a topic file by line. Looks at text only: it neither parses YAML nor decides
// whether a block is frontmatter at all.
import { MEMORY_LIMITS } from "../../domain/limits.ts";

/** Text between two fences; all positions are offsets into the file's text. */
export interface FencedBlock {
  /** First character of the opening fence. */
  readonly start: number;
  /** First character after the opening fence's line. */
  readonly contentStart: number;
  /** First character of the closing fence. */
  readonly contentEnd: number;
  /** First character after the closing fence's line. */
  readonly end: number;
  /** Beyond what we parse (`MEMORY_LIMITS.frontmatterRead*`). */
  readonly tooLarge: boolean;
}

/** A file that opens a block and never closes it. */
export interface OpenBlock {
  readonly contentStart: number;
}

/** Only a bare fence counts: `---js` and its kin choose an evaluating engine in the YAML library. */
const OPENING = /^(?:\uFEFF)?(?:[ \t]*\r?\n)*---[ \t]*\r?\n/u;
const CLOSING = /^---[ \t]*\r?$/gmu;

/** The block at the start of `text.slice(from)`, blank lines before it allowed. */
export function blockAt(text: string, from: number): FencedBlock | OpenBlock | undefined {
  // Blank lines before the fence are bounded, or a file of nothing else would be searched from each line.
  const opening = OPENING.exec(text.slice(from, from + MEMORY_LIMITS.frontmatterReadBytesMax));
  if (opening === null) return undefined;
  const contentStart = from + opening[0].length;
  const closing = new RegExp(CLOSING);
  closing.lastIndex = contentStart;
  const close = closing.exec(text);
  if (close === null) return { contentStart };
  const content = text.slice(contentStart, close.index);
  const lineEnd = text.indexOf("\n", close.index);
  return {
    start: contentStart - opening[0].trimStart().length,
    contentStart,
    contentEnd: close.index,
    end: lineEnd === -1 ? text.length : lineEnd + 1,
    tooLarge:
      Buffer.byteLength(content) > MEMORY_LIMITS.frontmatterReadBytesMax ||
      content.split("\n").length > MEMORY_LIMITS.frontmatterReadLinesMax + 1,
  };
}

export function isClosed(block: FencedBlock | OpenBlock): block is FencedBlock {
  return "end" in block;
}
