// Loaded into the daemon with `--import`: a signal from inside, right before, in the middle of or after the N-th call
// that changes the disk (`ENGRAMD_TEST_KILL="12 half SIGKILL"`). Plain JavaScript, because Node runs it as it is.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const CALLS = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "renameSync",
  "unlinkSync",
  "mkdirSync",
  "rmdirSync",
  "futimesSync",
  "mkdir",
  "rmdir",
  "utimes",
];

const SIGNALLED = "test:signalled";
const { closeSync, writeSync } = fs;

const [at, where, signal = "SIGKILL"] = (process.env.ENGRAMD_TEST_KILL ?? "").split(" ");
let left = Number(at);

/** Descriptors of the note of what is being read: a death there counts as one of the parser, which it is not. */
const notes = new Set();

function isNote(name, [target]) {
  return notes.has(target) || (name === "openSync" && String(target).endsWith("/cursors/reading"));
}

/** Opening to read changes nothing: a kill there is a kill before the next change. */
function changes(name, args) {
  if (isNote(name, args)) return false;
  return name !== "openSync" || (typeof args[1] === "number" && (args[1] & fs.constants.O_CREAT) !== 0);
}

fs.closeSync = (fd) => {
  notes.delete(fd);
  return closeSync(fd);
};

for (const name of CALLS) {
  const real = fs[name];
  const call = (...args) => {
    if (!changes(name, args) || --left !== 0) return follow(name, args, real(...args));
    if (where === "half" && name === "writeSync") real(args[0], args[1], args[2], Math.floor(args[3] / 2));
    if (where === "after") real(...args);
    // Nobody who measures how long the end takes counts the start with it.
    if (signal !== "SIGKILL") writeSync(1, `{"msg":"${SIGNALLED}"}\n`);
    process.kill(process.pid, signal);
    // Only a process that may go on comes here.
    return where === "before" ? real(...args) : undefined;
  };
  fs[name] = Object.assign(call, real);
}

function follow(name, args, result) {
  if (name === "openSync" && isNote(name, args)) notes.add(result);
  return result;
}
syncBuiltinESMExports();
