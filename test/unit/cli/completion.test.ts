// Completion in the shells themselves: what Tab puts on a line is one word, whatever a memory is called. The words only
// engramd knows come from a script in its place, or from the built program (`npm run build` first).
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CommandEntry } from "../../../src/cli/frame/command.ts";
import { bashScript } from "../../../src/cli/frame/shells/bash.ts";
import { fishScript } from "../../../src/cli/frame/shells/fish.ts";
import { zshScript } from "../../../src/cli/frame/shells/zsh.ts";
import { COMMANDS } from "../../../src/cli/registry.ts";
import { createControlServer } from "../../../src/serve/control/server.ts";
import { createClock } from "../../../src/system/clock.ts";
import { createFiles } from "../../../src/system/files.ts";
import { runCommand } from "../../helpers/daemon-process.ts";
import type { ScratchHome } from "../../helpers/scratch-home.ts";
import { createScratchHome } from "../../helpers/scratch-home.ts";
import type { TempFolder } from "../../helpers/temp-folder.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";
import { createFakeService, sampleMemory } from "../serve/fake-service.ts";

interface Shell {
  readonly name: string;
  readonly script: (table: readonly CommandEntry[]) => string;
  /** How it is started for a person, with nothing of this machine's settings. */
  readonly interactive: string;
  /** What has to be typed before the script can be loaded. */
  readonly prelude: string;
}

const SHELLS: readonly Shell[] = [
  { name: "bash", script: bashScript, interactive: "bash --norc -i", prelude: "" },
  {
    name: "zsh",
    script: zshScript,
    interactive: "zsh -fi",
    prelude: "autoload -Uz compinit; compinit -u -D\n",
  },
  { name: "fish", script: fishScript, interactive: "fish --no-config -i", prelude: "" },
];

function has(program: string, args: readonly string[]): boolean {
  if (spawnSync(program, args).status === 0) return true;
  process.stdout.write(`skipped: no ${program} here\n`);
  return false;
}

const HAS_SCRIPT = process.platform === "linux" && has("script", ["--version"]);
const present = new Map(SHELLS.map(({ name }) => [name, has(name, ["--version"])]));

/** Names a shell would do something with if it got the chance; each begins with a letter of its own. */
const hostileNames = (mark: string) => [
  `aa$(touch ${mark})`,
  `bb\`touch ${mark}\``,
  "cc d e",
  `dd'it"s`,
  `ee;touch ${mark}`,
  "ff\\n*",
  "gg!!",
  "hh名前",
  "ii&x|y>z<w",
  "jj$HOME",
  "kk~#x[a]{b,c}",
];

/** A folder with the scripts and an `engramd` that knows some names and notes what it was started with. */
function createSetting(names: readonly string[]) {
  const folder = createTempFolder();
  folder.write("names", names.map((name) => `${name}\n`).join(""));
  const program = `#!/bin/sh
if [ "$1" = complete-words ]; then printf '<%s>' "$@" >> '${folder.at("asked")}'; exec cat '${folder.at("names")}'; fi
printf '<%s>' "$@" >> '${folder.at("got")}'; echo >> '${folder.at("got")}'
`;
  chmodSync(folder.write("bin/engramd", program), 0o755);
  for (const { name, script } of SHELLS) folder.write(`script.${name}`, script(COMMANDS));
  folder.folder("home");
  const env = {
    PATH: `${folder.at("bin")}:${process.env["PATH"] ?? ""}`,
    HOME: folder.at("home"),
    TERM: "xterm",
    LANG: "C.UTF-8",
  };
  const noted = (file: string) => (existsSync(folder.at(file)) ? readFileSync(folder.at(file), "utf8") : "");
  return { folder, env, noted };
}

/** Types into a shell on a terminal; a tab asks for completion. Answers what engramd was started with, line by line. */
function typeInto(shell: Shell, typed: readonly string[], names: readonly string[]) {
  const { folder, env, noted } = createSetting(names);
  const load = `${shell.prelude}source '${folder.at(`script.${shell.name}`)}'\n`;
  const { status, stdout } = spawnSync("script", ["-qec", shell.interactive, "/dev/null"], {
    input: `${load}${typed.map((text) => `${text}\n`).join("")}exit\n`,
    encoding: "utf8",
    env,
    cwd: folder.path,
    timeout: 45_000,
  });
  const got = noted("got").split("\n").slice(0, -1);
  return { got, asked: noted("asked"), screen: `${status}\n${stdout}`, folder };
}

/** The words bash would offer, without a terminal. */
function bashOffers(folder: TempFolder, env: Readonly<Record<string, string>>, line: readonly string[]) {
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _engramd
for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done`;
  const args = ["--norc", "-uc", program, "bash", folder.at("script.bash"), ...line];
  const { stdout, stderr } = spawnSync("bash", args, { encoding: "utf8", env });
  expect(stderr).toBe("");
  return stdout.split("\n").slice(0, -1);
}

describe.each(SHELLS)("the script of $name", (shell) => {
  const isPresent = present.get(shell.name) === true;

  it.skipIf(!isPresent)("is one the shell can read", () => {
    const { folder } = createSetting([]);
    const { status, stderr } = spawnSync(shell.name, ["-n", folder.at(`script.${shell.name}`)], {
      encoding: "utf8",
    });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.skipIf(!isPresent || !HAS_SCRIPT)(
    "puts a memory's name on the line as one word and runs nothing",
    () => {
      const mark = createTempFolder().at("ran");
      const names = hostileNames(mark);
      const typed = names.map((name) => `engramd show ${name[0] ?? ""}\t`);

      const { got, screen } = typeInto(shell, typed, names);

      expect(got, screen).toEqual(names.map((name) => `<show><${name}>`));
      expect(existsSync(mark)).toBe(false);
    },
  );

  it.skipIf(!isPresent || !HAS_SCRIPT)(
    "completes commands, options, their values and the words of a command",
    () => {
      const typed = [
        "engramd forg\trel\t",
        "engramd --project ~/shop show 'c\t",
        "engramd uninstall --remove\t",
        "engramd remember --type ref\t x",
        "engramd remember --type=fee\t x",
        "engramd config exp\tabc",
        "engramd help unins\t",
      ];

      const { got, asked, screen, folder } = typeInto(shell, typed, ["cc d", "release"]);

      expect(got, screen).toEqual([
        "<forget><release>",
        `<--project><${folder.at("home/shop")}><show><cc d>`,
        "<uninstall><--remove-memories>",
        "<remember><--type><reference><x>",
        "<remember><--type=feedback><x>",
        "<config><explain><abc>",
        "<help><uninstall>",
      ]);
      expect(asked).toContain(`<complete-words><memory><--project><${folder.at("home/shop")}>`);
    },
  );
});

describe("what bash offers", () => {
  const HAS_BASH = present.get("bash") === true;
  const visible = COMMANDS.filter(({ hidden }) => hidden !== true);

  it.skipIf(!HAS_BASH)("is every command people may see, and no other", () => {
    const { folder, env } = createSetting([]);

    expect(bashOffers(folder, env, ["engramd", ""]).toSorted()).toEqual(
      [...visible.map(({ name }) => name), "help"].toSorted(),
    );
    expect(bashOffers(folder, env, ["engramd", "complete-w"])).toEqual([]);
  });

  it.skipIf(!HAS_BASH)("is every option of a command, its own before everybody's", () => {
    const { folder, env } = createSetting([]);

    for (const { name, options } of visible) {
      const offered = bashOffers(folder, env, ["engramd", name, "--"]);
      const own = options.flatMap(({ flags }) => flags.match(/--[\w-]+/gu) ?? []);
      expect(offered.slice(0, own.length)).toEqual(own);
      expect(offered).toContain("--json");
    }
  });

  it.skipIf(!HAS_BASH)("is every fixed word of the table, and nothing after --", () => {
    const { folder, env } = createSetting([]);

    for (const { name, places = [] } of visible) {
      const [first] = places;
      if (typeof first !== "object") continue;
      expect(bashOffers(folder, env, ["engramd", "--json", name, ""])).toEqual(first);
    }
    expect(bashOffers(folder, env, ["engramd", "config", "--", "--"])).toEqual([]);
  });
});

describe("words only engramd knows", () => {
  const files = createFiles();
  const words = async (home: ScratchHome, ...args: readonly string[]) => {
    const { stdout, stderr, code } = await runCommand({ home, args: ["complete-words", ...args] });
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    return stdout.split("\n").slice(0, -1);
  };
  /** What takes too long is no answer, also where the machine is busy: a person presses Tab again. */
  const offered = (home: ScratchHome, kind: string) => expect.poll(() => words(home, kind));

  async function answering(home: ScratchHome, named: readonly string[]) {
    const memories = named.map((name) => sampleMemory({ file: `${name}.md` }));
    const service = createFakeService({
      memories: () => Promise.resolve({ v: 1, memories, notMemories: [] }),
    });
    const onFailure = (error: unknown) => {
      throw error;
    };
    const clock = createClock();
    const server = createControlServer({ service, socketPath: home.socket, files, clock, onFailure });
    await server.start();
    onTestFinished(() => server.stop({ withinMs: 0 }));
  }

  it("are names a shell can show and a parser takes for no option", async () => {
    const home = createScratchHome();
    await answering(home, [
      "tabs",
      "a b",
      "x\ny",
      "\u001b[31mred",
      "a\u202eb",
      "-rf",
      "名前",
      "l".repeat(300),
      "",
    ]);

    await offered(home, "memory").toEqual(["tabs", "a b", "名前"]);
  });

  it("are at most some hundreds", async () => {
    const home = createScratchHome();
    await answering(
      home,
      Array.from({ length: 3_000 }, (_, at) => `memory-${at}`),
    );

    await offered(home, "memory").toHaveLength(500);
  });

  it("are none when the daemon does not answer in time", async () => {
    const home = createScratchHome();
    mkdirSync(dirname(home.socket), { mode: 0o700, recursive: true });
    const server = createServer((socket) => void socket.on("error", () => undefined).resume());
    await new Promise<void>((resolve) => server.listen(home.socket, resolve));
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));

    expect(await words(home, "memory")).toEqual([]);
  });

  it("leave no folder behind where engramd never ran", async () => {
    const home = createScratchHome();

    expect(await words(home, "memory")).toEqual([]);
    expect(await words(home, "run")).toEqual([]);
    expect(existsSync(home.stateDir)).toBe(false);
  });

  it("are the settings, and nothing for a kind of another version", async () => {
    const home = createScratchHome();

    await offered(home, "setting").toEqual(
      expect.arrayContaining(["budget", "budget.usdPerDay", "extract.debounceMs.model"]),
    );
    expect(await words(home, "constructor")).toEqual([]);
    expect(await words(home)).toEqual([]);
  });
});
