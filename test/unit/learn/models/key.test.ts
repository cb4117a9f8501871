// Where the key comes from: real files, a real shell, and never a second best.
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AppError } from "../../../../src/domain/errors.ts";
import { MODEL_LIMITS } from "../../../../src/domain/limits.ts";
import type { KeySource, KeySourceOptions } from "../../../../src/learn/models/key.ts";
import { createKeySource } from "../../../../src/learn/models/key.ts";
import { createClock } from "../../../../src/system/clock.ts";
import { createRunCommand } from "../../../../src/system/command.ts";
import { maskSecrets } from "../../../../src/memory/secrets/scanner.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { checkLeaks } from "../../../helpers/leak-check.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { failureOf } from "./client.ts";
import { NEVER } from "./request.ts";

checkLeaks();

function source(options: Partial<KeySourceOptions>): KeySource {
  return createKeySource({
    apiKeyEnv: "MODEL_KEY",
    apiKeyFile: null,
    apiKeyCommand: null,
    env: { PATH: process.env["PATH"] },
    home: "/nowhere",
    files: createFiles(),
    run: createRunCommand(createClock()),
    uid: process.getuid?.(),
    ...options,
  });
}

function keyFile(content: string, mode = 0o600): string {
  const path = createTempFolder().write("key", content);
  chmodSync(path, mode);
  return path;
}

function refusal(options: Partial<KeySourceOptions>): Promise<AppError> {
  return failureOf(source(options).read(NEVER));
}

describe("the key", () => {
  it("comes from the command, else the file, else the variable", async () => {
    const env = { PATH: process.env["PATH"], MODEL_KEY: "by-variable" };
    const apiKeyFile = keyFile("by-file\n");
    const apiKeyCommand = `printf '  by-%s\\n' command`;

    expect(await source({ env }).read(NEVER)).toEqual({ value: "by-variable", from: "variable" });
    expect(await source({ env, apiKeyFile }).read(NEVER)).toEqual({ value: "by-file", from: "file" });
    expect(await source({ env, apiKeyFile, apiKeyCommand }).read(NEVER)).toEqual({
      value: "by-command",
      from: "command",
    });
  });

  it("is nowhere when nothing is set, or set to nothing", async () => {
    expect(await source({}).read(NEVER)).toBeUndefined();
    expect(await source({ env: { MODEL_KEY: " \n" } }).read(NEVER)).toBeUndefined();
  });

  it("that changed is seen by the next reading, and both are known to the mask", async () => {
    const path = keyFile("first-key-1");
    const keys = source({ apiKeyFile: path });

    await keys.read(NEVER);
    createFiles().replace(path, "second-key-2");

    expect(await keys.read(NEVER)).toMatchObject({ value: "second-key-2" });
    expect(maskSecrets("first-key-1 second-key-2").text).toBe("[secret:own-key] [secret:own-key]");
  });

  it("is known to the mask before it is ever used, in a variable and in a file", () => {
    source({ env: { MODEL_KEY: "variable-key-1\n" }, apiKeyFile: keyFile("file-key-1\n") });

    expect(maskSecrets("use variable-key-1, or file-key-1").text).toBe(
      "use [secret:own-key], or [secret:own-key]",
    );
  });

  it("that changes again and again is forgotten by the mask after a while", async () => {
    const path = keyFile("changing-key-0");
    const keys = source({ apiKeyFile: path });
    for (let at = 0; at < 20; at++) {
      createFiles().replace(path, `changing-key-${at}.`);
      await keys.read(NEVER);
    }

    expect(maskSecrets("changing-key-19.").text).toBe("[secret:own-key]");
    expect(maskSecrets("changing-key-9.").text).toBe("changing-key-9.");
  });

  it("that is a short word is no secret", async () => {
    await source({ env: { MODEL_KEY: "ollama" } }).read(NEVER);
    await source({ env: { MODEL_KEY: "none-needed" } }).read(NEVER);

    expect(maskSecrets("ollama: none-needed").text).toBe("ollama: none-needed");
  });

  it.each(["two words 1", "two\nlines 2", "tab\there 3", "umläut 4", "nul\0 5678"])(
    "that reads %j is refused",
    async (value) => {
      const keys = source({ apiKeyFile: keyFile(value) });

      const failure = await failureOf(keys.read(NEVER));

      expect(failure).toMatchObject({ code: "model-key-unreadable" });
      expect(failure.message).not.toContain(value.slice(0, 3));
      expect(maskSecrets(`it is ${value}!`).text).toBe("it is [secret:own-key]!");
    },
  );
});

describe("a key file", () => {
  it("may be named from home on", async () => {
    const folder = createTempFolder();
    chmodSync(folder.write(".key", "from-home"), 0o400);

    expect(await source({ apiKeyFile: "~/.key", home: folder.path }).read(NEVER)).toMatchObject({
      value: "from-home",
    });
  });

  it.each([0o644, 0o640, 0o604, 0o660])("with mode %o is refused, and says what to do", async (mode) => {
    const failure = await refusal({ apiKeyFile: keyFile("a-key", mode) });

    expect(failure).toMatchObject({ code: "model-key-unsafe", disposition: "retry" });
    expect(failure.message).toContain(mode.toString(8));
    expect(failure.fix).toContain("0600");
  });

  it("of another user is refused", async () => {
    const failure = await refusal({ apiKeyFile: keyFile("a-key"), uid: (process.getuid?.() ?? 0) + 1 });

    expect(failure.code).toBe("model-key-unsafe");
  });

  it("that is a folder, or leads to an open file, is refused", async () => {
    const folder = createTempFolder();
    mkdirSync(folder.at("dir"), { mode: 0o700 });
    symlinkSync(keyFile("a-key", 0o644), folder.at("link"));

    expect((await refusal({ apiKeyFile: folder.at("dir") })).code).toBe("model-key-unsafe");
    expect((await refusal({ apiKeyFile: folder.at("link") })).code).toBe("model-key-unsafe");
  });

  it("that is missing, empty or huge is an error, even with a variable set", async () => {
    const env = { MODEL_KEY: "by-variable" };
    const huge = "x".repeat(MODEL_LIMITS.keyBytesMax + 1);

    for (const apiKeyFile of [createTempFolder().at("none"), keyFile(""), keyFile(huge)]) {
      expect(await refusal({ apiKeyFile, env })).toMatchObject({ code: "model-key-unreadable" });
    }
  });
});

describe("a key command", () => {
  it.each([
    ["exit 3", "ended with code 3"],
    ["kill -9 $$", "ended with a signal"],
    ["true", "is empty"],
    ["echo two words", "is not one word"],
    ["yes", "printed more than"],
    ["no-such-program-anywhere", "ended with code 127"],
  ])("%s is told as: %s", async (apiKeyCommand, said) => {
    const failure = await refusal({ apiKeyCommand, env: { PATH: process.env["PATH"], MODEL_KEY: "x" } });

    expect(failure).toMatchObject({ code: "model-key-unreadable", disposition: "retry" });
    expect(failure.message).toContain(said);
  });

  it("that does not end is killed after its time", async () => {
    const clock = createManualClock();
    const failed = refusal({ apiKeyCommand: "sleep 1000", run: createRunCommand(clock) });

    await clock.advance(MODEL_LIMITS.keyCommandMs);

    expect((await failed).message).toContain("did not end within 10 s");
  });
});
