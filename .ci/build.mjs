// dist/: main.js, small enough for a status bar to start every few seconds, and engine.mjs with everything else.
// Bundled apart because a shared chunk costs every start of main.js some milliseconds; nothing but text, functions and
// exit codes passes between the two, so that it does not matter that each has its own copy of a class.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const DISPATCH = "./cli/frame/dispatch.ts";

/** What packages written for `require` need; "esprima" would be code of front matter, which is never run. */
const REQUIRE = [
  "import{createRequire as engramdCreateRequire}from'node:module';",
  "const engramdRequire=engramdCreateRequire(import.meta.url),",
  "require=Object.assign((id)=>{if(id==='esprima')throw new Error('left out');return engramdRequire(id)},engramdRequire);",
].join("");

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  outdir: "dist",
  legalComments: "none",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
};

rmSync("dist", { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ["src/main.ts"],
  // A CommonJS file starts a tenth faster than a module (measured).
  format: "cjs",
  plugins: [
    {
      name: "engine-apart",
      setup({ onResolve }) {
        onResolve({ filter: /\/dispatch\.ts$/ }, ({ path, kind }) => {
          if (path !== DISPATCH || kind !== "dynamic-import")
            throw new Error(`main.ts loads ${path} at once`);
          return { path: "./engine.mjs", external: true };
        });
      },
    },
  ],
});
await build({
  ...common,
  entryPoints: { engine: `src/${DISPATCH}` },
  format: "esm",
  outExtension: { ".js": ".mjs" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  banner: { js: REQUIRE },
});
for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (/\.m?js$/u.test(name)) toAscii(`dist/${name}`);
}
// The package itself is one of modules.
writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');

// The manual page comes from the command table, which only the program has. npm installs it for `man` ("man" in
// package.json).
writeFileSync("dist/engramd.1", execFileSync(process.execPath, ["dist/main.js", "man-page"]));

/**
 * Every character beyond ASCII becomes its escape. V8 keeps the text of a loaded script, and one such character makes
 * it twice as large: 0.7 MB of an idle daemon. The bundler does this itself but for patterns.
 */
function toAscii(path) {
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
