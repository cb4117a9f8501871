import { describe, expect, it } from "vitest";
import type { Explanation } from "../../../src/config/explain.ts";
import { explainConfig } from "../../../src/config/explain.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { createFiles } from "../../../src/system/files.ts";
import { createTempFolder } from "../../helpers/temp-folder.ts";

interface Layers {
  readonly user?: object;
  readonly managed?: object;
  readonly env?: Readonly<Record<string, string>>;
}

function explain({ user = {}, managed = {}, env = {} }: Layers): Explanation & { at1(key: string): object } {
  const folder = createTempFolder();
  folder.write("user.json", JSON.stringify(user));
  folder.write("managed.json", JSON.stringify(managed));
  const paths = {
    home: folder.at("home"),
    configFile: folder.at("user.json"),
    managedConfigFile: folder.at("managed.json"),
  };
  const loaded = loadConfig({ files: createFiles(), env, paths });
  const mask = (text: string) => text.replaceAll("canary", "[masked]");
  const explanation = explainConfig({ loaded, env, paths, mask });
  return {
    ...explanation,
    at1(key) {
      const [setting = {}, ...more] = explanation.at(key);
      expect(more).toEqual([]);
      return setting;
    },
  };
}

describe("an explained setting", () => {
  it("names the layer that won, and where it is", () => {
    const { at1 } = explain({
      user: { concurrency: 3, budget: { usdPerDay: 5 } },
      managed: { budget: { usdPerDay: 1 } },
      env: { ENGRAMD_EXTRACT_DEBOUNCE_MS: "5", ENGRAMD_EXTRACT_HEADLESS: "true" },
    });

    expect(at1("provider")).toMatchObject({ value: "auto", layer: "default", source: null });
    expect(at1("concurrency")).toMatchObject({
      value: 3,
      default: 2,
      layer: "user",
      source: expect.stringMatching(/user\.json$/u),
    });
    expect(at1("budget.usdPerDay")).toMatchObject({
      value: 1,
      layer: "managed",
      source: expect.stringMatching(/managed\.json$/u),
    });
    expect(at1("extract.headless")).toMatchObject({
      value: true,
      layer: "environment",
      source: "ENGRAMD_EXTRACT_HEADLESS",
    });
    expect(at1("extract.debounceMs.model")).toMatchObject({
      value: 5,
      source: "ENGRAMD_EXTRACT_DEBOUNCE_MS",
      variable: "ENGRAMD_EXTRACT_DEBOUNCE_MS_MODEL",
    });
  });

  it("says whether a managed file locks it, alone or with its group", () => {
    const { at1 } = explain({ managed: { locked: ["budget", "extract.headless"] } });

    expect(at1("budget.subscription.runsPerDay")).toMatchObject({ locked: true });
    expect(at1("extract.headless")).toMatchObject({ locked: true });
    expect(at1("extract.target")).toMatchObject({ locked: false });
  });

  it("has a sentence and an allowed range of our own, whichever it is", () => {
    for (const { key, sentence, allowed } of explain({}).settings) {
      expect(sentence, key).not.toBe("");
      expect(allowed, key).toMatch(/^(?:a|an|one|five|true|the|"auto")\b|^"auto"/u);
    }
  });

  it("never shows a value that may be a secret, but shows a default", () => {
    const secret = ["canary", "of", "mine"].join("-");
    const { settings, at1, asTree } = explain({
      user: {
        apiKeyEnv: secret.replaceAll("-", "_"),
        apiKeyCommand: `echo ${secret}`,
        baseUrl: `https://example.org/${secret}`,
        ignore: [`/home/${secret}/**`],
        projects: { [`/home/${secret}`]: { mode: "off" } },
        team: { tokenFile: `/home/${secret}` },
      },
    });

    expect(JSON.stringify([settings, asTree()])).not.toContain("canary");
    expect(at1("baseUrl")).toMatchObject({ hidden: true, value: "(set, not shown)", layer: "user" });
    expect(at1("ignore")).toMatchObject({ value: ["/home/[masked]-of-mine/**"] });
    expect(explain({}).at1("apiKeyEnv")).toMatchObject({ hidden: false, value: "ANTHROPIC_API_KEY" });
  });
});

describe("a key", () => {
  it("may name a group or a table with its entries", () => {
    const { at } = explain({ user: { projects: { "/home/ana/shop": { mode: "off" } } } });
    const keys = (key: string) => at(key).map((setting) => setting.key);

    expect(keys("extract.maxWaitMs")).toEqual(["extract.maxWaitMs.offline", "extract.maxWaitMs.model"]);
    expect(keys("budget")).toHaveLength(6);
    expect(keys("projects")).toEqual(["projects", "projects.<path>.mode"]);
    expect(keys("projects./home/ana/shop.mode")).toEqual(["projects", "projects.<path>.mode"]);
    expect(at("projects")[0]?.value).toEqual({ "/home/ana/shop": { mode: "off" } });
  });

  it("that nobody knows has a nearest one, groups included", () => {
    const { at, nearest } = explain({});

    expect(at("budget.usdPerDya")).toEqual([]);
    expect(at("bud")).toEqual([]);
    expect(nearest("budget.usdPerDya")).toBe("budget.usdPerDay");
    expect(nearest("budgets")).toBe("budget");
    expect(nearest("dream.usdPerDay")).toBe("budget.usdPerDay");
  });

  it.each(["nosuch", "x", "colour.theme"])("and that is like none has no nearest one: %s", (key) => {
    expect(explain({}).nearest(key)).toBeUndefined();
  });
});

it("all settings together are what the configuration holds", () => {
  const { asTree } = explain({ user: { sweep: { everyMs: 5_000 }, provider: "offline" } });

  expect(asTree()).toMatchObject({
    provider: "offline",
    sweep: { everyMs: 5_000 },
    extract: { debounceMs: { offline: 20_000 } },
  });
});
