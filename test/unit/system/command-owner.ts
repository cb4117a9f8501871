// A process that runs a program which is to die with it, and is killed by the test.
import { createClock } from "../../../src/system/clock.ts";
import { createRunCommand } from "../../../src/system/command.ts";

const [, , pidFile = ""] = process.argv;
await createRunCommand(createClock())(
  {
    file: "/bin/sh",
    args: ["-c", `echo $$ > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; sleep 1000; true`],
    env: { PATH: process.env["PATH"] },
    timeMs: 60_000,
    outputBytesMax: 1_000,
    diesWithUs: true,
  },
  new AbortController().signal,
);
