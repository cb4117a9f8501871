// Loaded into the daemon with `--import`: death as soon as certain words (`ENGRAMD_TEST_DEADLY`) become text, as if the
// parser crashed on them: SIGKILL, or with `ENGRAMD_TEST_DEADLY_BY=memory` all the memory it may have. Plain
// JavaScript, because Node runs it as it is.
const words = process.env.ENGRAMD_TEST_DEADLY ?? "no such words";
const byMemory = process.env.ENGRAMD_TEST_DEADLY_BY === "memory";

for (const name of ["toString", "utf8Slice", "latin1Slice"]) {
  const decode = Buffer.prototype[name];
  Buffer.prototype[name] = function decodeOrDie(...args) {
    const text = decode.apply(this, args);
    if (!text.includes(words)) return text;
    if (!byMemory) process.kill(process.pid, "SIGKILL");
    for (const kept = []; ;) kept.push(Array.from({ length: 10_000 }, (_, at) => ({ at })));
  };
}
