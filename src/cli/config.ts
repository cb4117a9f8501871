// `engramd config show|check|explain [KEY]`: the settings in force, what is wrong with them, where each comes from.
// Asks no daemon and writes nothing.
import type { Explanation } from "../config/explain.ts";
import { AppError, EXIT } from "../domain/errors.ts";
import type { Warning } from "../domain/status.ts";
import type { CommandContext, Reply } from "./frame/command.ts";
import { configFileOf } from "./frame/service.ts";
import type { ConfigFile } from "./render/config.ts";
import { checkedLines, explainedLines, settingLines } from "./render/config.ts";

const ACTIONS = ["show", "check", "explain"] as const;

export async function run(context: CommandContext): Promise<Reply> {
  const [what = "show", key] = context.call.words;
  const action = ACTIONS.find((known) => known === what);
  if (action === undefined)
    throw usage("unknown-action", `config cannot ${what}`, `use one of ${ACTIONS.join(", ")}`);
  if (key !== undefined && action !== "explain")
    throw usage("too-many-arguments", `config ${action} takes no key`, `use: engramd config explain ${key}`);
  const found = await settingsOf(context);
  if (action === "show") return showReply(found);
  return action === "check" ? checkReply(found) : explainReply(found, key);
}

interface Found {
  readonly files: readonly ConfigFile[];
  readonly warnings: readonly Warning[];
  readonly explanation: Explanation;
}

/** Throws what `run` throws for a configuration nobody can use. */
async function settingsOf(context: CommandContext): Promise<Found> {
  // The schema and the table of secrets are large; other commands must not pay for them.
  const { explainConfig, loadConfig, maskSecrets } = (await import("./frame/check-tools.ts")).CHECK_TOOLS;
  const { files, host } = context;
  const { env } = host;
  const named = configFileOf(context);
  const paths = { ...context.paths, configFile: named ?? context.paths.configFile };
  const loaded = loadConfig({ files, paths, env, ...(named === undefined ? {} : { configFile: named }) });
  const mask = (text: string) => maskSecrets(text).text;
  const fileAt = (layer: ConfigFile["layer"], path: string): ConfigFile => ({
    layer,
    path,
    present: files.follow(path) !== undefined,
  });
  return {
    files: [fileAt("user", paths.configFile), fileAt("managed", paths.managedConfigFile)],
    warnings: loaded.warnings,
    explanation: explainConfig({ loaded, env, paths, mask }),
  };
}

function showReply({ files, warnings, explanation }: Found): Reply {
  return {
    exitCode: EXIT.ok,
    document: { v: 1, files, settings: explanation.asTree(), warnings },
    lines: (page) => settingLines({ files, settings: explanation.settings }, page),
  };
}

function checkReply({ files, warnings }: Found): Reply {
  return {
    exitCode: EXIT.ok,
    document: { v: 1, usable: true, files, warnings },
    lines: (page) => checkedLines({ files, warnings }, page),
  };
}

function explainReply({ explanation }: Found, key: string | undefined): Reply {
  const asked = key === undefined ? explanation.settings : explanation.at(key);
  if (key !== undefined && asked.length === 0) {
    const nearest = explanation.nearest(key);
    const fix = nearest === undefined ? "engramd config explain lists them all" : `did you mean ${nearest}?`;
    throw usage("unknown-key", `there is no setting ${JSON.stringify(key)}`, fix);
  }
  return {
    exitCode: EXIT.ok,
    document: { v: 1, settings: asked },
    lines: (page) => explainedLines(asked, page),
  };
}

function usage(code: string, message: string, fix: string): AppError {
  return new AppError({ code, message, fix, exitCode: EXIT.usage });
}
