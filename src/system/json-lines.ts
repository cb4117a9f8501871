// Append-only files of one JSON value per line. A torn or foreign line costs that line, never the file.
import { parseJson } from "../domain/json.ts";
import type { Files } from "./files.ts";

export interface JsonLines {
  readonly values: readonly unknown[];
  /** Lines that were no JSON: a write cut by a crash, an edit by hand. */
  readonly badLines: number;
}

/** All values of a line file; an absent file has none. Throws `too-large` beyond `maxBytes`. */
export function readJsonLines(
  files: Files,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
): JsonLines {
  const text = files.read(path, maxBytes)?.toString("utf8") ?? "";
  const values: unknown[] = [];
  let badLines = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const value = parseJson(line);
    if (value === undefined) badLines++;
    else values.push(value);
  }
  return { values, badLines };
}

export interface AppendJsonLines {
  readonly path: string;
  readonly values: readonly unknown[];
  /** A file that would pass this bound first loses its older half. */
  readonly maxBytes: number;
}

/** Appends whole lines in one flushed write. Nothing to append writes nothing. */
export function appendJsonLines(files: Files, { path, values, maxBytes }: AppendJsonLines): void {
  if (values.length === 0) return;
  const addition = values.map((value) => `${JSON.stringify(value)}\n`).join("");
  const bytes = files.look(path)?.bytes ?? 0;
  if (bytes + Buffer.byteLength(addition) > maxBytes) dropOlderHalf(files, path);
  files.append(path, addition, { flush: true });
}

function dropOlderHalf(files: Files, path: string): void {
  const content = files.read(path, Number.MAX_SAFE_INTEGER);
  if (content === undefined) return;
  const middle = content.indexOf("\n", Math.floor(content.length / 2));
  files.replace(path, content.subarray(middle + 1));
}
