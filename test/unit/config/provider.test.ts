// Consent: whose words may go to which model. Everything that is not a plain yes is a no.
import { expect, test } from "vitest";
import type { ConsentRecord } from "../../../src/config/provider.ts";
import { chooseReader, consentByConfig, NO_CONSENT } from "../../../src/config/provider.ts";
import type { Origin } from "../../../src/config/load.ts";
import { completeConfig } from "../../../src/config/schema.ts";

const AT = "2026-11-30T09:00:00.000Z";
const HOST = "https://api.anthropic.com";
const FROM_USER: ReadonlyMap<string, Origin> = new Map([
  ["provider", "user"],
  ["baseUrl", "user"],
]);

function granted(host = HOST): ConsentRecord {
  return {
    grants: [{ agent: "claude-code", provider: "anthropic", host, at: AT, by: "person" }],
    chosen: { provider: "anthropic", host },
    configured: undefined,
  };
}

function readerOf(values: object, consent: ConsentRecord, agent: "claude-code" | "codex" = "claude-code") {
  return chooseReader({ config: completeConfig(values), consent, agent });
}

test("nothing configured and nobody asked: rules only", () => {
  expect(readerOf({}, NO_CONSENT)).toEqual({ kind: "rules", why: "no model was allowed to see your words" });
});

test("a provider in the settings is no permission by itself: the recorded grant is", () => {
  expect(readerOf({ provider: "anthropic" }, NO_CONSENT).kind).toBe("rules");
  expect(readerOf({ provider: "anthropic" }, granted())).toMatchObject({
    kind: "model",
    target: { provider: "anthropic", host: HOST },
  });
});

test("what the person chose by command counts while the settings say auto", () => {
  expect(readerOf({}, granted()).kind).toBe("model");
  expect(readerOf({ provider: "offline" }, granted()).kind).toBe("rules");
});

test("a grant is for one host: the same provider at another address is not allowed", () => {
  const moved = readerOf({ provider: "anthropic", baseUrl: "https://proxy.example" }, granted());

  expect(moved.kind).toBe("rules");
  expect(moved.why).toContain("https://proxy.example");
});

test("a grant is for one agent, and mayUseModel false beats it", () => {
  expect(readerOf({}, granted(), "codex").kind).toBe("rules");
  expect(readerOf({ agents: { "claude-code": { mayUseModel: false } } }, granted()).kind).toBe("rules");
});

test("a local server needs its address", () => {
  expect(readerOf({ provider: "local" }, NO_CONSENT).why).toContain("baseUrl");
});

function recorded(values: object, changes: Partial<Parameters<typeof consentByConfig>[0]> = {}) {
  return consentByConfig({
    config: completeConfig(values),
    origin: FROM_USER,
    consent: NO_CONSENT,
    present: ["claude-code", "codex"],
    at: AT,
    ...changes,
  });
}

test("a provider in the settings file is consent for every agent present at that start", () => {
  const record = recorded({ provider: "anthropic", agents: { codex: { mayUseModel: false } } });

  expect(record?.grants).toEqual([
    { agent: "claude-code", provider: "anthropic", host: HOST, at: AT, by: "config" },
  ]);
  expect(record?.configured).toEqual({ provider: "anthropic", host: HOST });
});

test("an agent found later is not in it until the settings name it", () => {
  const first = recorded({ provider: "anthropic" }, { present: ["claude-code"] });
  const consent = first ?? NO_CONSENT;

  expect(recorded({ provider: "anthropic" }, { consent })).toBeUndefined();

  const origin = new Map([...FROM_USER, ["agents.codex.mayUseModel", "user"] as const]);
  const named = recorded(
    { provider: "anthropic", agents: { codex: { mayUseModel: true } } },
    { consent, origin },
  );
  expect(named?.grants.map(({ agent }) => agent)).toEqual(["claude-code", "codex"]);
});

test("neither a provider nor an address from the environment is consent", () => {
  expect(
    recorded({ provider: "anthropic" }, { origin: new Map([["provider", "environment"]]) }),
  ).toBeUndefined();
  const origin = new Map<string, Origin>([
    ["provider", "user"],
    ["baseUrl", "environment"],
  ]);
  expect(recorded({ provider: "anthropic", baseUrl: "http://10.0.0.1" }, { origin })).toBeUndefined();
});

test("another provider or host in the settings file asks anew", () => {
  const consent = recorded({ provider: "anthropic" }, { present: ["claude-code"] }) ?? NO_CONSENT;

  const local = recorded({ provider: "local", baseUrl: "http://127.0.0.1:8080/v1" }, { consent });

  expect(local?.grants.filter(({ provider }) => provider === "local").map(({ agent }) => agent)).toEqual([
    "claude-code",
    "codex",
  ]);
  expect(local?.configured?.host).toBe("http://127.0.0.1:8080");
});
