// After the bundler: every character beyond ASCII becomes its escape. V8 keeps the text of a loaded script, and one
// such character makes it twice as large: 0.7 MB of an idle daemon. The bundler does this itself but for patterns.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const FOLDER = "dist/chunks";

for (const name of readdirSync(FOLDER)) {
  const path = `${FOLDER}/${name}`;
  const text = readFileSync(path, "utf8");
  // A backslash before it would swallow the one of the escape.
  if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]/u.test(text))
    throw new Error(`${path}: an escaped character beyond ASCII`);
  writeFileSync(path, text.replace(/[^\0-\x7f]/g, escaped));
}

/** Of one UTF-16 unit; patterns with the flag `u` read two of them as one character. */
function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
