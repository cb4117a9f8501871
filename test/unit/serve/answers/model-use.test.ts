// The plan and the consent of `model use`, for several agents and settings of several owners.
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createSettingsFile } from "../../../../src/app/settings-file.ts";
import type { Ground } from "../../../../src/app/ground.ts";
import type { ConsentRecord } from "../../../../src/config/provider.ts";
import { consentByConfig, NO_CONSENT } from "../../../../src/config/provider.ts";
import type { ModelWeek, UseModelReply, UseModelRequest } from "../../../../src/domain/model-choice.ts";
import type { ModelClient } from "../../../../src/domain/models.ts";
import type { AgentId } from "../../../../src/domain/sessions.ts";
import type { ModelAnswersDeps } from "../../../../src/serve/answers/model-use.ts";
import { createModelAnswers } from "../../../../src/serve/answers/model-use.ts";
import { createFiles } from "../../../../src/system/files.ts";
import { createManualClock } from "../../../helpers/manual-clock.ts";
import { createTempFolder } from "../../../helpers/temp-folder.ts";
import { sampleModelReport } from "../fake-service.ts";

const HOST = "https://api.anthropic.com";
const files = createFiles();
const WEEK: ModelWeek = sampleModelReport().week;

interface World {
  readonly file: string;
  readonly managed: string;
  agents: AgentId[];
  consent: ConsentRecord;
  env: Record<string, string>;
  /** Throws where a test wants a disk that fails. */
  beforeWrite: () => void;
  readonly answers: ReturnType<typeof createModelAnswers>;
}

let world: World;

beforeEach(() => {
  world = createWorld();
});

function createWorld(): World {
  const folder = createTempFolder();
  const clock = createManualClock();
  const paths = {
    home: folder.path,
    configFile: folder.at("config.json"),
    managedConfigFile: folder.at("managed.json"),
  };
  const here: Omit<World, "answers"> = {
    file: paths.configFile,
    managed: paths.managedConfigFile,
    agents: ["claude-code", "codex"],
    consent: NO_CONSENT,
    env: {},
    beforeWrite: () => undefined,
  };
  const settings = () => createSettingsFile({ files, paths, input: { env: made.env } } as unknown as Ground);
  const config = () => settings().tryOut(settings().text()).config;
  const recorded = () => {
    const { config: now, origin } = settings().tryOut(settings().text());
    const at = "2026-11-30T10:00:00.000Z";
    return consentByConfig({ config: now, origin, consent: made.consent, present: made.agents, at });
  };
  const deps: ModelAnswersDeps = {
    clock,
    config,
    settings: {
      path: paths.configFile,
      managedPath: paths.managedConfigFile,
      text: () => settings().text(),
      tryOut: (text) => settings().tryOut(text),
      write(change) {
        made.beforeWrite();
        settings().write(change);
      },
    },
    budget: { spent: () => ({ tokensToday: 0, usdToday: 0, usdMonth: 0 }) },
    present: () => made.agents,
    consent: () => recorded() ?? made.consent,
    kinds: ["extract"],
    keyPlace: () => null,
    logins: () => [],
    week: async () => WEEK,
    modelWarnings: () => [],
    running: () => true,
    lock: async () => undefined,
    replaceConsent: (record) => void (made.consent = record),
    clientOf: (): ModelClient => ({ provider: "none", complete: () => Promise.reject(new Error("asked")) }),
    takeUp: () => void (made.consent = recorded() ?? made.consent),
  };
  const made: World = Object.assign(here, { answers: createModelAnswers(deps) });
  return made;
}

/** The plan, and then the yes to it. */
async function use(request: UseModelRequest): Promise<UseModelReply> {
  const { digest } = await world.answers.useModel(request);
  return world.answers.useModel({ ...request, agreed: digest });
}

const allowed = () => world.consent.grants.map(({ agent, host, by }) => `${agent} ${host} ${by}`);
const sentIn = ({ sent }: UseModelReply) => sent.map(({ agent }) => agent);
const manage = (value: object) => writeFileSync(world.managed, JSON.stringify(value));
const settle = (value: object) => writeFileSync(world.file, JSON.stringify(value));
const settings = () => JSON.parse(readFileSync(world.file, "utf8")) as Record<string, unknown>;

describe("the plan", () => {
  const notes = async (request: UseModelRequest) => (await world.answers.useModel(request)).notes.join("\n");

  it("names the model that reads memories in dreams, what else it reads, its bound and its switch", async () => {
    settle({ models: { dream: "my-own-model" }, dream: { maxInputTokens: 90_000 } });

    const said = await notes({ provider: "anthropic" });

    expect(said).toMatch(/a dream .* reads all memories of a project and what was typed in its sessions/u);
    expect(said).toContain("(my-own-model, at most 90,000 tokens each; never with dream.enabled: false)");
    expect(said).toMatch(/a distillation .* daily logs.*\(claude-sonnet-[^ ]+, at most 120,000 tokens each/u);
  });

  it("says nothing of what is switched off, or where no model reads", async () => {
    settle({ dream: { enabled: false }, distill: { enabled: false } });

    expect(await notes({ provider: "anthropic" })).not.toMatch(/dream|distill/u);
    settle({});
    expect(await notes({ provider: "offline" })).not.toMatch(/dream|distill/u);
  });
});

describe("consent", () => {
  it("is for the agents that were named and for nobody else", async () => {
    const reply = await use({ provider: "anthropic", agents: "codex" });

    expect(sentIn(reply)).toEqual(["codex"]);
    expect(reply.kept).toMatchObject([
      { agent: "claude-code", allow: "engramd model use anthropic --agent claude-code" },
    ]);
    expect(allowed()).toEqual([`codex ${HOST} person`]);
  });

  it("of an agent found later is one command away, which leaves the others as they are", async () => {
    world.agents = ["claude-code"];
    await use({ provider: "anthropic" });
    world.agents = ["claude-code", "codex"];

    const report = await world.answers.model();
    expect(report.agents).toMatchObject([
      { agent: "claude-code", reader: "model", allow: null },
      { agent: "codex", reader: "rules", allow: "engramd model use anthropic --agent codex" },
    ]);
    await use({ provider: "anthropic", agents: "codex" });

    expect(allowed()).toEqual([`claude-code ${HOST} person`, `codex ${HOST} person`]);
  });

  it("for another host takes back that for the former one", async () => {
    await use({ provider: "anthropic" });

    await use({ provider: "anthropic", baseUrl: "https://gateway.example/team", agents: "codex" });

    expect(allowed()).toEqual(["codex https://gateway.example person"]);
    expect(settings()["baseUrl"]).toBe("https://gateway.example/team");
  });

  it("names whom the settings allow besides", async () => {
    settle({ agents: { "claude-code": { mayUseModel: true } } });

    const plan = await world.answers.useModel({ provider: "anthropic", agents: "codex" });

    expect(sentIn(plan)).toEqual(["claude-code", "codex"]);
  });

  it("leaves out who is left out in the settings, until that agent is named", async () => {
    settle({ agents: { codex: { mayUseModel: false } } });

    const all = await use({ provider: "anthropic" });
    expect(sentIn(all)).toEqual(["claude-code"]);
    const named = await use({ provider: "anthropic", agents: "codex" });

    expect(named.diff).toEqual([{ key: "agents.codex.mayUseModel", before: "false", after: "null" }]);
    expect(sentIn(named)).toEqual(["claude-code", "codex"]);
  });

  it("can be taken back for one agent", async () => {
    await use({ provider: "anthropic" });

    await use({ provider: "offline", agents: "codex" });

    expect(allowed()).toEqual([`claude-code ${HOST} person`]);
    expect(settings()["provider"]).toBe("anthropic");
  });

  it("is not recorded when the settings cannot be written", async () => {
    world.beforeWrite = () => {
      throw new Error("disk full");
    };

    await expect(use({ provider: "anthropic" })).rejects.toThrow("disk full");

    expect(world.consent).toEqual(NO_CONSENT);
  });
});

describe("settings of somebody else", () => {
  it("that are locked are named, and nothing changes", async () => {
    manage({ provider: "offline", locked: ["provider"] });

    await expect(world.answers.useModel({ provider: "anthropic" })).rejects.toMatchObject({
      message: `cannot change provider: locked by ${world.managed}`,
    });
  });

  it("that win are named as well", async () => {
    manage({ models: { extract: "middle" } });

    await expect(
      world.answers.useModel({ provider: "anthropic", model: "claude-haiku-4-5" }),
    ).rejects.toMatchObject({ message: `cannot change models.extract: set by ${world.managed}` });
  });

  it("that decide the address in the environment are named", async () => {
    world.env = { ENGRAMD_BASE_URL: "https://elsewhere.example" };

    await expect(
      world.answers.useModel({ provider: "local", baseUrl: "http://127.0.0.1:8080" }),
    ).rejects.toMatchObject({ message: "cannot change baseUrl: ENGRAMD_BASE_URL is set in the environment" });
  });

  it("do not keep a person from taking consent back, for good", async () => {
    manage({ provider: "anthropic" });
    expect((await world.answers.model()).agents.map(({ reader }) => reader)).toEqual(["model", "model"]);

    const reply = await use({ provider: "offline" });

    expect(reply.notes[0]).toContain(`cannot change provider: set by ${world.managed}`);
    expect(allowed()).toEqual([]);
    expect((await world.answers.model()).agents.map(({ reader }) => reader)).toEqual(["rules", "rules"]);
  });

  it("that choose the same need nothing written where they are locked", async () => {
    manage({ provider: "anthropic", agents: { codex: { mayUseModel: false } }, locked: ["provider"] });

    const plan = await world.answers.useModel({ provider: "anthropic" });

    expect(plan).toMatchObject({ outcome: "unchanged", diff: [] });
  });
});

describe("the settings file", () => {
  it("stays a link, and is written where it leads", async () => {
    const real = join(world.file, "..", "dotfiles.json");
    writeFileSync(real, '{ "concurrency": 3 }\n');
    symlinkSync(real, world.file);

    await use({ provider: "anthropic" });

    expect(lstatSync(world.file).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe('{ "concurrency": 3, "provider": "anthropic" }\n');
  });

  it("of a former server of one's own keeps no address of it", async () => {
    settle({ provider: "local", baseUrl: "http://127.0.0.1:8080", models: { extract: "mine" } });

    const reply = await use({ provider: "anthropic", model: "small" });

    expect(settings()).toEqual({
      provider: "anthropic",
      baseUrl: null,
      models: { extract: "small", recall: "small", dream: "small", distill: "small" },
    });
    expect(reply.host).toBe(HOST);
  });

  it("shows an address without its path, which may be a key", async () => {
    const plan = await world.answers.useModel({
      provider: "anthropic",
      baseUrl: "https://gateway.example/team-key",
    });

    expect(JSON.stringify(plan)).not.toContain("team-key");
  });

  it("that the daemon does not read is refused", async () => {
    await expect(
      world.answers.useModel({ provider: "anthropic", configFile: "/elsewhere.json" }),
    ).rejects.toMatchObject({ code: "other-config" });
  });
});
