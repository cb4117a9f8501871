// The change of the person's settings that a choice of model needs, tried out before anybody is asked. Names whoever
// set what it cannot change; writes nothing.
import { setInJson } from "../../config/edit-json.ts";
import { variableOf } from "../../config/environment-layer.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { listSettings } from "../../config/schema.ts";
import { valueAt } from "../../config/tree.ts";
import { AppError, EXIT } from "../../domain/errors.ts";
import { fieldsOf, parseJson } from "../../domain/json.ts";
import type { UseModelReply, UseModelRequest } from "../../domain/model-choice.ts";
import { displayText } from "../../domain/printable.ts";
import type { AgentId } from "../../domain/sessions.ts";

/** The settings file of the person. */
export interface SettingsText {
  readonly path: string;
  readonly managedPath: string;
  /** Undefined when there is none. */
  text(): string | undefined;
  /** The settings as they would be with this text; throws for what cannot be used. */
  tryOut(text: string | undefined): LoadedConfig;
  /** Throws `changed` when the file is not as it was. */
  write(change: { readonly before: string | undefined; readonly after: string }): void;
}

export interface Edited {
  readonly before: string | undefined;
  readonly after: string;
  /** The settings as they will be. */
  readonly loaded: LoadedConfig;
  readonly diff: UseModelReply["diff"];
  /** What stays as it is although the person wants it otherwise. */
  readonly held: readonly string[];
}

interface Wanted {
  readonly path: readonly [string, ...string[]];
  readonly value: string | null;
}

export interface EditAsk {
  readonly request: UseModelRequest;
  /** Agents the person named; undefined without `--agent`. */
  readonly named: readonly AgentId[] | undefined;
}

/** Throws what cannot be changed, except towards offline: consent can be taken back whoever set the rest. */
export function editSettings(ask: EditAsk, settings: SettingsText): Edited {
  const before = settings.text();
  const current = settings.tryOut(before);
  const tree = parsed(before);
  const wanted = wantedBy(ask, current, tree);
  const edits = wanted.filter(
    ({ path, value }) => !isLocked(path, current) && (valueAt(tree, path) ?? null) !== value,
  );
  const start = before ?? "{}\n";
  const after = edits.reduce((text, edit) => setInJson(text, edit), start);
  const loaded = edits.length === 0 ? current : settings.tryOut(after);
  const held = wanted
    .filter(({ path, value }) => valueAt(loaded.config, path) !== value)
    .map(({ path }) => ({ key: path.join("."), by: holderOf(path, { loaded, settings }) }));
  const [first] = held;
  if (first !== undefined && ask.request.provider !== "offline") {
    throw new AppError({
      code: "setting-held",
      message: `cannot change ${first.key}: ${first.by}`,
      fix: HELD,
    });
  }
  return {
    before,
    after: edits.length === 0 ? start : after,
    loaded,
    diff: edits.map(({ path, value }) => ({
      key: path.join("."),
      before: shown(path, valueAt(tree, path)),
      after: shown(path, value) ?? "null",
    })),
    held: held.map(({ key, by }) => `cannot change ${key}: ${by}`),
  };
}

const HELD = "change it there, or ask whoever manages this machine";

function wantedBy(ask: EditAsk, current: LoadedConfig, tree: unknown): Wanted[] {
  const { request, named = [] } = ask;
  const { provider } = request;
  const agents = named.flatMap((agent): Wanted[] =>
    current.config.agents[agent].mayUseModel === (provider === "offline")
      ? [{ path: ["agents", agent, "mayUseModel"], value: null }]
      : [],
  );
  if (provider === "offline") {
    // For some agents only: the others go on with the model.
    return ask.named === undefined ? [{ path: ["provider"], value: provider }] : agents;
  }
  const address = addressOf(request, current, tree);
  const models = modelsOf(request);
  return [{ path: ["provider"], value: provider }, ...address, ...models, ...agents];
}

/** The address of another provider must not outlive the choice. */
function addressOf({ provider, baseUrl }: UseModelRequest, current: LoadedConfig, tree: unknown): Wanted[] {
  const path = ["baseUrl"] as const;
  if (baseUrl !== undefined) return [{ path, value: checked("baseUrl", baseUrl, "--base-url") }];
  if (valueAt(tree, ["provider"]) === provider || current.config.provider === provider) {
    if (provider !== "local" || current.config.baseUrl !== null) return [];
  }
  if (provider !== "local") return [{ path, value: null }];
  throw new AppError({
    code: "no-address",
    message: "a server of your own needs its address",
    fix: "give it: engramd model use local --base-url http://127.0.0.1:8080",
    exitCode: EXIT.usage,
  });
}

function modelsOf({ model }: UseModelRequest): Wanted[] {
  if (model === undefined) return [];
  const value = checked("models.extract", model, "--model");
  const kinds = listSettings().filter(({ path }) => path[0] === "models");
  return kinds.flatMap(({ path: [, kind] }): Wanted[] =>
    kind === undefined ? [] : [{ path: ["models", kind], value }],
  );
}

function checked(key: string, value: string, option: string): string {
  const allowed = listSettings()
    .find(({ path }) => path.join(".") === key)
    ?.check(value);
  if (allowed === undefined) return value;
  throw new AppError({
    code: "bad-option-value",
    // An address may hold a key by mistake.
    message: `the value of ${option} cannot be used`,
    fix: `allowed is ${allowed}`,
    exitCode: EXIT.usage,
  });
}

function isLocked(path: readonly string[], { locked }: LoadedConfig): boolean {
  const key = path.join(".");
  return locked.some((lock) => key === lock || key.startsWith(`${lock}.`));
}

interface Held {
  readonly loaded: LoadedConfig;
  readonly settings: SettingsText;
}

function holderOf(path: readonly string[], { loaded, settings }: Held): string {
  const managed = displayText(settings.managedPath);
  if (isLocked(path, loaded)) return `locked by ${managed}`;
  return loaded.origin.get(path.join(".")) === "environment"
    ? `${variableOf(path)} is set in the environment`
    : `set by ${managed}`;
}

function parsed(text: string | undefined): unknown {
  // It was read as settings a moment ago.
  return text === undefined ? {} : (fieldsOf(parseJson(text.replace(/^\uFEFF/u, ""))) ?? {});
}

/** The path of an address may hold a key of a gateway. */
function shown(path: readonly string[], value: unknown): string | null {
  if (value === undefined) return null;
  const isAddress = path[0] === "baseUrl" && typeof value === "string";
  if (!isAddress || !URL.canParse(value)) return JSON.stringify(value);
  const { origin, pathname } = new URL(value);
  return JSON.stringify(pathname === "/" ? origin : `${origin}/...`);
}
