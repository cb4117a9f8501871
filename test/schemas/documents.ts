// What every `--json` document holds at least, by command: the fields people script against. More may stand in them.
// Documents the socket answers with are described once, in `src/serve/control/documents.ts`, and read from there.
import * as z from "zod";
import { ANSWERS, ERROR } from "../../src/serve/control/documents.ts";
import type { AnySchema } from "../../src/serve/control/json-schema.ts";

/** The same description, as something that checks. */
export function checkerOf(schema: AnySchema): z.ZodType {
  return z.fromJSONSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema });
}

const warning = z.looseObject({ code: z.string().min(1), message: z.string().min(1), fix: z.string() });
const change = z.looseObject({
  did: z.enum(["made", "wrote", "ran", "removed", "kept"]),
  what: z.string(),
});

const configFile = z.looseObject({
  layer: z.enum(["user", "managed"]),
  path: z.string().startsWith("/"),
  present: z.boolean(),
});

const setting = z.looseObject({
  key: z.string(),
  value: z.unknown(),
  hidden: z.boolean(),
  layer: z.enum(["default", "managed", "user", "environment"]),
  source: z.string().nullable(),
  sentence: z.string(),
  allowed: z.string(),
  default: z.unknown(),
  locked: z.boolean(),
  variable: z.string().nullable(),
});

const install = z.looseObject({
  v: z.literal(1),
  outcome: z.enum(["installed", "unchanged", "written"]),
  service: z.looseObject({
    node: z.string(),
    entry: z.string(),
    kind: z.enum(["systemd", "launchd"]),
    file: z.string(),
    network: z.boolean(),
    namespaces: z.boolean(),
    notify: z.boolean(),
    environment: z.array(z.looseObject({ name: z.string(), value: z.string() })),
  }),
  changes: z.array(change),
  undo: z.string(),
  linger: z.boolean().nullable(),
  warnings: z.array(warning),
  byHand: z.looseObject({ why: z.string(), commands: z.string() }).nullable(),
});

const uninstall = z.looseObject({
  v: z.literal(1),
  outcome: z.enum(["uninstalled", "nothing"]),
  service: z.string().nullable(),
  changes: z.array(change),
  kept: z.array(z.string()),
  warnings: z.array(warning),
});

const memories = checkerOf(ANSWERS.memories);

/** By the words typed: `status`, `config check`. `error` is what every command prints instead when it fails. */
export const DOCUMENTS: Readonly<Record<string, z.ZodType>> = {
  error: z.looseObject({
    v: z.literal(1),
    error: z.looseObject({ code: z.string(), message: z.string(), fix: z.string().nullable() }),
  }),
  "": checkerOf(ANSWERS.overview),
  status: checkerOf(ANSWERS.status),
  sync: checkerOf(ANSWERS.sync),
  list: memories,
  show: memories,
  search: memories,
  remember: checkerOf(ANSWERS.remember),
  forget: checkerOf(ANSWERS.forget),
  log: checkerOf(ANSWERS.log),
  why: checkerOf(ANSWERS.why),
  news: checkerOf(ANSWERS.news),
  ignore: checkerOf(ANSWERS.ignore),
  cancel: checkerOf(ANSWERS.cancel),
  dream: checkerOf(ANSWERS.dream),
  distill: checkerOf(ANSWERS.distill),
  review: checkerOf(ANSWERS.inbox),
  "review show": checkerOf(ANSWERS.inbox),
  "review accept": checkerOf(ANSWERS.acceptItems),
  "review reject": checkerOf(ANSWERS.rejectItems),
  lint: checkerOf(ANSWERS.lint),
  history: checkerOf(ANSWERS.history),
  cost: checkerOf(ANSWERS.cost),
  diff: checkerOf(ANSWERS.diff),
  undo: checkerOf(ANSWERS.undo),
  pause: checkerOf(ANSWERS.pause),
  resume: checkerOf(ANSWERS.resume),
  model: checkerOf(ANSWERS.model),
  "model use": checkerOf(ANSWERS.useModel),
  project: checkerOf(ANSWERS.projects),
  "project move": checkerOf(ANSWERS.moveProject),
  "config show": z.looseObject({
    v: z.literal(1),
    files: z.array(configFile),
    settings: z.record(z.string(), z.unknown()),
    warnings: z.array(warning),
  }),
  "config check": z.looseObject({
    v: z.literal(1),
    usable: z.boolean(),
    files: z.array(configFile),
    warnings: z.array(warning),
  }),
  "config explain": z.looseObject({ v: z.literal(1), settings: z.array(setting).min(1) }),
  install,
  uninstall,
  restart: z.looseObject({ v: z.literal(1), outcome: z.literal("restarted") }),
  logs: z.looseObject({ v: z.literal(1), lines: z.array(z.string()) }),
  doctor: z.looseObject({
    v: z.literal(1),
    checks: z
      .array(
        z.looseObject({
          code: z.string().min(1),
          state: z.enum(["ok", "warn", "fail"]),
          message: z.string().min(1),
          fix: z.string().nullable(),
        }),
      )
      .min(1),
  }),
  completion: z.looseObject({ v: z.literal(1), shell: z.enum(["bash", "zsh", "fish"]), script: z.string() }),
  "complete-words": z.looseObject({ v: z.literal(1), words: z.array(z.string()) }),
  "man-page": z.looseObject({ v: z.literal(1), page: z.string() }),
};

/** Every answer of the socket that is no 200. */
export const SOCKET_ERROR = checkerOf(ERROR);
