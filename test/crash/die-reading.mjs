// Loaded into the daemon with `--import`: SIGKILL as soon as certain words (`ENGRAMD_TEST_DEADLY`) become text, as if
// the parser crashed on them. Plain JavaScript, because Node runs it as it is.
const words = process.env.ENGRAMD_TEST_DEADLY ?? "no such words";

for (const name of ["toString", "utf8Slice", "latin1Slice"]) {
  const decode = Buffer.prototype[name];
  Buffer.prototype[name] = function decodeOrDie(...args) {
    const text = decode.apply(this, args);
    if (text.includes(words)) process.kill(process.pid, "SIGKILL");
    return text;
  };
}
