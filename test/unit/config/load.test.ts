import { chmodSync, readFileSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LoadConfigInput } from "../../../src/config/load.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { AppError, EXIT } from "../../../src/domain/errors.ts";
import { createFiles } from "../../../src/system/files.ts";
import type { TempFolder } from "../../helpers/temp-folder.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

interface Setup {
  readonly user?: unknown;
  readonly managed?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

function write(folder: TempFolder, name: string, content: unknown): void {
  if (content !== undefined)
    folder.write(name, typeof content === "string" ? content : JSON.stringify(content));
}

function inputFor(folder: TempFolder, env: Setup["env"] = {}): LoadConfigInput {
  return {
    files: createFiles(),
    env,
    paths: {
      home: folder.at("home"),
      configFile: folder.at("config.json"),
      managedConfigFile: folder.at("managed.json"),
    },
  };
}

function load({ user, managed, env }: Setup) {
  const folder = createTempFolder();
  write(folder, "config.json", user);
  write(folder, "managed.json", managed);
  return loadConfig(inputFor(folder, env));
}

function refusal(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

function keysOf(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path.join(".")];
  const entries = Object.entries(value);
  return entries.length === 0
    ? [path.join(".")]
    : entries.flatMap(([name, inner]) => keysOf(inner, [...path, name]));
}

describe("the defaults", () => {
  it("are what a machine without any settings gets", () => {
    const { config, warnings, origin } = load({});

    expect(config.provider).toBe("auto");
    expect(config.extract.debounceMs).toEqual({ offline: 20_000, model: 900_000 });
    expect(config.extract.maxWaitMs).toEqual({ offline: 600_000, model: 7_200_000 });
    expect(config.budget).toMatchObject({ usdPerDay: 2, subscription: { runsPerDay: 8 } });
    expect(warnings).toEqual([]);
    expect(new Set(origin.values())).toEqual(new Set(["default"]));
  });

  it("are listed completely, and truly, in the example file", () => {
    const example: unknown = JSON.parse(
      readFileSync(join(import.meta.dirname, "../../../config.example.json"), "utf8"),
    );
    const { config, origin } = load({});

    expect(example).toEqual(config);
    expect(keysOf(example).toSorted()).toEqual([...origin.keys()].toSorted());
  });

  it("stay in force when somebody copies the example file as it is", () => {
    const example = readFileSync(join(import.meta.dirname, "../../../config.example.json"), "utf8");

    const { config, warnings } = load({ user: example });

    expect(config).toEqual(load({}).config);
    expect(warnings).toEqual([]);
  });
});

describe("the layers of settings", () => {
  it("win in the order user, managed, environment, key by key", () => {
    const { config, origin } = load({
      user: { concurrency: 3, budget: { usdPerDay: 1, usdPerMonth: 10, runsPerHour: 5 } },
      managed: { budget: { usdPerDay: 4, runsPerHour: 6 } },
      env: { ENGRAMD_BUDGET_RUNS_PER_HOUR: "7" },
    });

    expect(config.concurrency).toBe(3);
    expect(config.budget).toMatchObject({ usdPerMonth: 10, usdPerDay: 4, runsPerHour: 7 });
    expect(origin.get("budget.usdPerMonth")).toBe("user");
    expect(origin.get("budget.usdPerDay")).toBe("managed");
    expect(origin.get("budget.runsPerHour")).toBe("environment");
    expect(origin.get("budget.tokensPerDay")).toBe("default");
  });

  it("leave a locked key to the managed file alone, and say so", () => {
    const { config, warnings } = load({
      user: { provider: "anthropic", budget: { usdPerDay: 50 } },
      managed: { provider: "offline", locked: ["provider", "budget"] },
      env: { ENGRAMD_PROVIDER: "local" },
    });

    expect(config.provider).toBe("offline");
    expect(config.budget.usdPerDay).toBe(2);
    expect(warnings.map(({ code }) => code)).toEqual(Array(3).fill("config-locked-key"));
  });

  it("give no power to lock to the user's own file", () => {
    const { warnings } = load({ user: { locked: ["provider"] } });

    expect(warnings.map(({ code }) => code)).toEqual(["config-unknown-key"]);
  });

  it("join tables entry by entry and replace lists", () => {
    const { config } = load({
      user: { projects: { "/a": { mode: "off" }, "/b": { mode: "propose" } }, ignore: ["/x"] },
      managed: { projects: { "/b": { mode: "off" } }, ignore: ["/y", "/z"] },
    });

    expect(config.projects).toEqual({ "/a": { mode: "off" }, "/b": { mode: "off" } });
    expect(config.ignore).toEqual(["/y", "/z"]);
  });

  it("take a file named on the command line instead of the user's", () => {
    const folder = createTempFolder();
    write(folder, "config.json", { concurrency: 3, provider: "local" });
    write(folder, "other.json", { concurrency: 5 });

    const { config } = loadConfig({ ...inputFor(folder), configFile: folder.at("other.json") });

    expect(config).toMatchObject({ concurrency: 5, provider: "auto" });
  });

  it("refuse a file named on the command line that is not there", () => {
    const folder = createTempFolder();

    const error = refusal(() => loadConfig({ ...inputFor(folder), configFile: folder.at("gone.json") }));

    expect(error).toMatchObject({ code: "config-missing", exitCode: EXIT.config });
  });
});

describe("a plain number for a cadence", () => {
  it("sets both kinds of jobs", () => {
    const { config } = load({ user: { extract: { debounceMs: 50, maxWaitMs: 90 } } });

    expect(config.extract.debounceMs).toEqual({ offline: 50, model: 50 });
    expect(config.extract.maxWaitMs).toEqual({ offline: 90, model: 90 });
  });

  it("yields to a higher layer that names one of them", () => {
    const { config } = load({
      user: { extract: { debounceMs: 50 } },
      env: { ENGRAMD_EXTRACT_DEBOUNCE_MS_OFFLINE: "7" },
    });

    expect(config.extract.debounceMs).toEqual({ offline: 7, model: 50 });
  });

  it("is refused out of its range like the pair", () => {
    const error = refusal(() => load({ user: { extract: { debounceMs: -1 } } }));

    expect(error.message).toContain("extract.debounceMs.offline is -1");
  });
});

describe("an unknown key", () => {
  it.each([
    [{ provder: "auto" }, "provder", "provider"],
    [{ extract: { debounceMS: 1 } }, "extract.debounceMS", "extract.debounceMs"],
    [{ usdPerDay: 1 }, "usdPerDay", "budget.usdPerDay"],
    [{ agents: { "claude-cod": {} } }, "agents.claude-cod", "agents.claude-code"],
    [{ projects: { "/a": { mod: "off" } } }, "projects./a.mod", "projects.<path>.mode"],
  ])("%j is a warning that names the nearest known one", (user, key, nearest) => {
    const { config, warnings } = load({ user });

    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toContain(`unknown key "${key}"; nearest known key: ${nearest}`);
    expect(config.provider).toBe("auto");
  });

  it("does not hide the values beside it", () => {
    const { config } = load({ user: { extract: { bogus: { deep: [1] }, maxTurns: 9 }, bogus: 1 } });

    expect(config.extract.maxTurns).toBe(9);
  });

  it("named __proto__ changes nothing but the list of warnings", () => {
    const { config, warnings } = load({ user: '{ "__proto__": { "provider": "local" }, "constructor": 1 }' });

    expect(config.provider).toBe("auto");
    expect(warnings).toHaveLength(2);
    expect(Object.prototype).not.toHaveProperty("provider");
  });
});

describe("a value that cannot be used", () => {
  it.each([
    [{ provider: "openai" }, "provider", '"openai"', 'one of "auto"'],
    [{ concurrency: 0 }, "concurrency", "0", "a whole number from 1 to 16"],
    [{ concurrency: "2" }, "concurrency", '"2"', "a whole number from 1 to 16"],
    [{ extract: { minNewTokens: 1.5 } }, "extract.minNewTokens", "1.5", "a whole number from 0"],
    [{ extract: [] }, "extract", "a list", "an object"],
    [{ extract: { maxWaitMs: "soon" } }, "extract.maxWaitMs", '"soon"', "a whole number from 0 to"],
    [{ dream: { schedule: "daily" } }, "dream.schedule", '"daily"', "five cron fields"],
    [{ sweep: { everyMs: 1 } }, "sweep.everyMs", "1", '"auto" or a whole number from 100'],
    [{ projects: { "/a": { mode: "on" } } }, "projects./a.mode", '"on"', "propose"],
    [{ projects: { a: {} } }, "projects.a", "an object", "absolute paths"],
    [{ agents: { codex: { roots: ["x"] } } }, "agents.codex.roots.0", '"x"', "an absolute path"],
    [{ ignore: "x" }, "ignore", '"x"', "a list"],
  ])("%j stops with key, value and allowed range", (user, key, value, allowed) => {
    const error = refusal(() => load({ user }));

    expect(error).toMatchObject({ code: "config-bad-value", exitCode: EXIT.config, disposition: "stop" });
    expect(error.message).toContain(`config.json: ${key} is ${value}`);
    expect(error.fix).toContain(allowed);
  });

  it("names the managed file when it is the one", () => {
    const error = refusal(() => load({ managed: { concurrency: 99 } }));

    expect(error.message).toContain("managed.json: concurrency is 99");
  });

  it("tells how many more there are", () => {
    const error = refusal(() => load({ user: { concurrency: 0, provider: 1, ignore: 2 } }));

    expect(error.message).toContain("(and 2 more)");
  });

  it("is not shown where it may be a key in the wrong place", () => {
    const secret = ["sk", "ant", "x".repeat(30)].join("-");

    for (const user of [{ apiKeyEnv: secret }, { baseUrl: `https://u:${secret}@host` }]) {
      const error = refusal(() => load({ user }));
      expect(`${error.message} ${error.fix}`).not.toContain(secret);
    }
    const variable = refusal(() => load({ env: { ENGRAMD_API_KEY_ENV: secret } }));
    expect(`${variable.message} ${variable.fix}`).not.toContain(secret);
  });

  it("never brings control characters to the terminal", () => {
    const error = refusal(() => load({ user: { provider: "\u001b[31mred\u202e" } }));

    // oxlint-disable-next-line no-control-regex
    expect(error.message).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe("a settings file that cannot be read", () => {
  it("tells where it is broken without quoting it", () => {
    const error = refusal(() => load({ user: '{\n  "apiKeyFile": "/secret/place",\n  oops\n}' }));

    expect(error).toMatchObject({ code: "config-not-json", exitCode: EXIT.config });
    expect(error.message).toMatch(/line 3, column 3/);
    expect(error.message).not.toContain("oops");
  });

  it.each(["[]", "null", "3", '"text"'])("holding %s is refused", (text) => {
    expect(refusal(() => load({ user: text }))).toMatchObject({
      code: "config-not-json",
      exitCode: EXIT.config,
    });
  });

  it("is read with a byte order mark", () => {
    expect(load({ user: '\uFEFF{ "concurrency": 4 }' }).config.concurrency).toBe(4);
  });

  it("is refused when it is too large or no file", () => {
    const folder = createTempFolder();
    truncateSync(folder.write("config.json", "{}"), 300_000);
    expect(refusal(() => loadConfig(inputFor(folder)))).toMatchObject({
      code: "config-unreadable",
      exitCode: 3,
    });

    const other = createTempFolder();
    other.folder("config.json");
    expect(refusal(() => loadConfig(inputFor(other)))).toMatchObject({
      code: "config-unreadable",
      exitCode: 3,
    });
  });

  it.skipIf(process.getuid?.() === 0)("is refused when its mode forbids reading", () => {
    const folder = createTempFolder();
    chmodSync(folder.write("config.json", "{}"), 0o000);

    expect(refusal(() => loadConfig(inputFor(folder)))).toMatchObject({
      code: "config-unreadable",
      exitCode: 3,
    });
  });

  it("does not choke on deep nesting", () => {
    const deep = `{ "ignore": ${"[".repeat(50_000)}${"]".repeat(50_000)} }`;

    expect(refusal(() => load({ user: deep }))).toMatchObject({ code: "config-bad-value" });
  });
});

describe("environment variables", () => {
  it("take text, numbers, words, lists and tables", () => {
    const { config } = load({
      env: {
        ENGRAMD_PROVIDER: "offline",
        ENGRAMD_AGENTS_CLAUDE_CODE_MAY_USE_MODEL: "false",
        ENGRAMD_DREAM_MAX_LOSS_SHARE: "0.5",
        ENGRAMD_SWEEP_EVERY_MS: "auto",
        ENGRAMD_IGNORE: '["/tmp/*"]',
        ENGRAMD_PROJECTS: '{ "/a": { "mode": "off" } }',
        ENGRAMD_EXTRACT_DEBOUNCE_MS: "5",
        ENGRAMD_API_KEY_ENV: "MY_KEY",
        OTHER: "x",
      },
    });

    expect(config.provider).toBe("offline");
    expect(config.agents["claude-code"].mayUseModel).toBe(false);
    expect(config.dream.maxLossShare).toBe(0.5);
    expect(config.sweep.everyMs).toBe("auto");
    expect(config.ignore).toEqual(["/tmp/*"]);
    expect(config.projects).toEqual({ "/a": { mode: "off" } });
    expect(config.extract.debounceMs).toEqual({ offline: 5, model: 5 });
    expect(config.apiKeyEnv).toBe("MY_KEY");
  });

  it("reach every key under a name of its own", () => {
    const { origin } = load({});
    const names = [...origin.keys()].map((key) =>
      key
        .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
        .replace(/[-.]/g, "_")
        .toUpperCase(),
    );

    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      const { warnings } = (() => {
        try {
          return load({ env: { [`ENGRAMD_${name}`]: "\u0000" } });
        } catch (error) {
          expect(error).toMatchObject({ code: "config-bad-value" });
          return { warnings: [] };
        }
      })();
      expect(warnings).toEqual([]);
    }
  });

  it("let the half of a pair override the number for both, in any order", () => {
    const pair = { ENGRAMD_EXTRACT_DEBOUNCE_MS_MODEL: "9", ENGRAMD_EXTRACT_DEBOUNCE_MS: "5" };

    for (const env of [pair, Object.fromEntries(Object.entries(pair).toReversed())]) {
      expect(load({ env }).config.extract.debounceMs).toEqual({ offline: 5, model: 9 });
    }
  });

  it("that nobody knows are warnings with the nearest name", () => {
    const { warnings } = load({ env: { ENGRAMD_PROVIDR: "offline" } });

    expect(warnings[0]?.message).toContain("nearest known one: ENGRAMD_PROVIDER");
  });

  it("that are empty count as unset", () => {
    expect(load({ env: { ENGRAMD_CONCURRENCY: "" } }).config.concurrency).toBe(2);
  });

  it("with a bad value stop, naming variable, value and range", () => {
    const error = refusal(() => load({ env: { ENGRAMD_CONCURRENCY: "many" } }));

    expect(error).toMatchObject({ code: "config-bad-value", exitCode: EXIT.config });
    expect(error.message).toBe('environment: ENGRAMD_CONCURRENCY is "many"');
    expect(error.fix).toContain("from 1 to 16");
  });
});

describe("transcript roots", () => {
  it.each(["~/.ssh", "~", "/", "~/.gnupg/x", "~/.config/systemd/user", "/etc", "~/.ssh/../.ssh"])(
    "in %s are refused",
    (root) => {
      const error = refusal(() => load({ user: { agents: { codex: { roots: [root] } } } }));

      expect(error).toMatchObject({ code: "config-bad-root", exitCode: EXIT.config });
    },
  );

  it("that are a link into such a folder are refused", () => {
    const folder = createTempFolder();
    symlinkSync(folder.folder("home/.ssh"), folder.at("innocent"));
    write(folder, "config.json", { agents: { codex: { roots: [folder.at("innocent")] } } });

    expect(refusal(() => loadConfig(inputFor(folder)))).toMatchObject({ code: "config-bad-root" });
  });

  it("anywhere else are taken", () => {
    const roots = ["~/.codex/sessions", "/srv/agents"];

    expect(load({ user: { agents: { codex: { roots } } } }).config.agents.codex.roots).toEqual(roots);
  });
});
