// dist/: main.js, small enough for a status bar to start every few seconds, engine.mjs with everything else, service.mjs
// with what the service needs of it, and usable-config.mjs with what `status` asks when no service runs.
// Bundled apart because a shared chunk costs every start of main.js some milliseconds; nothing but text, functions and
// exit codes passes between the two, so that it does not matter that each has its own copy of a class.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename } from "node:path";
import { build } from "esbuild";

/** What main.js loads when it is needed, and the file each becomes. */
const ENGINES = { dispatch: "engine", serve: "service", "usable-config": "usable-config" };

/** What packages written for `require` need; "esprima" would be code of front matter, which is never run. */
const REQUIRE =
  "const require=(id)=>{if(id==='esprima')throw new Error('left out');return process.getBuiltinModule(id)};";

/**
 * What packages load and never use here. The log writes to a stream of ours, never in a thread; the lock is given the
 * file operations it may use. With the parts of Node they load this is 0.6 MB of an idle daemon (measured).
 */
const STAND_INS = {
  "thread-stream": "module.exports=class{}",
  "graceful-fs": "module.exports=require('fs')",
  worker_threads: "exports.isMainThread=true",
};

/** @type {import("esbuild").Plugin} */
const standIns = {
  name: "stand-ins",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(?:${Object.keys(STAND_INS).join("|")})$`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: "stand-in" }));
    onLoad({ filter, namespace: "stand-in" }, ({ path }) => ({ contents: STAND_INS[path] }));
  },
};

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
        const names = Object.keys(ENGINES).join("|");
        onResolve({ filter: new RegExp(`/(?:${names})\\.ts$`) }, ({ path, kind }) => {
          if (kind !== "dynamic-import") throw new Error(`main.ts loads ${path} at once`);
          return { path: `./${ENGINES[basename(path, ".ts")]}.mjs`, external: true };
        });
      },
    },
  ],
});
await build({
  ...common,
  entryPoints: Object.entries(ENGINES).map(([name, out]) => ({ in: `src/cli/frame/${name}.ts`, out })),
  format: "esm",
  outExtension: { ".js": ".mjs" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  plugins: [standIns],
  banner: { js: REQUIRE },
});
for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  if (!/\.m?js$/u.test(name)) continue;
  const text = readFileSync(`dist/${name}`, "utf8");
  writeFileSync(`dist/${name}`, toAscii(name, name.endsWith(".mjs") ? withPlainBuiltins(name, text) : text));
}
// The package itself is one of modules.
writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');

// The manual page comes from the command table, which only the program has. npm installs it for `man` ("man" in
// package.json).
writeFileSync("dist/engramd.1", execFileSync(process.execPath, ["dist/main.js", "man-page"]));

/**
 * Node's own modules are taken as `require` would. An import makes a namespace of each, which asks for every member and
 * so loads what few of them need (`fs.promises`, `crypto.webcrypto`): 1 MB of a daemon after its first job (measured).
 */
function withPlainBuiltins(name, text) {
  const plain = text.replace(/\bimport([^"'();]+)from"([^".]+)";/gu, (_, clause, id) => {
    const found = /^\s*([\w$]+)?,?(?:\{(.*)\}|\*as ([\w$]+))?\s*$/u.exec(clause);
    if (!isBuiltin(id) || found === null) throw new Error(`${name}: import${clause}from ${id}`);
    const [, whole, members = "", namespace] = found;
    const names = [whole, namespace].filter((each) => each !== undefined);
    if (members !== "") names.push(`{${members.replaceAll(/ as /gu, ":")}}`);
    return `const ${names.map((each) => `${each}=process.getBuiltinModule("${id}")`).join(",")};`;
  });
  if (/(?:^|[;}\n])import"node:/u.test(plain)) throw new Error(`${name}: an import for its effect`);
  return plain;
}

/**
 * Every character beyond ASCII becomes its escape. V8 keeps the text of a loaded script, and one such character makes
 * it twice as large: 0.7 MB of an idle daemon. The bundler does this itself but for patterns.
 */
function toAscii(name, text) {
  // A backslash before it would swallow the one of the escape.
  if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]/u.test(text))
    throw new Error(`${name}: an escaped character beyond ASCII`);
  return text.replace(/[^\0-\x7f]/g, escaped);
}

/** Of one UTF-16 unit; patterns with the flag `u` read two of them as one character. */
function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
