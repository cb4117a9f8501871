// Settings for a person: all of them in a table, what is wrong, and one after the other with the reason.
import type { ExplainedSetting } from "../../config/explain.ts";
import type { Warning } from "../../domain/status.ts";
import type { Line, Page } from "./line.ts";
import { EMPTY_LINE, line, span, wrap } from "./line.ts";
import { table } from "./table.ts";
import { warningLines } from "./warnings.ts";

/** A file settings may come from. */
export interface ConfigFile {
  readonly layer: "user" | "managed";
  readonly path: string;
  readonly present: boolean;
}

export function settingLines(
  {
    files,
    settings,
  }: { readonly files: readonly ConfigFile[]; readonly settings: readonly ExplainedSetting[] },
  page: Page,
): Line[] {
  return [
    ...fileLines(files, page),
    EMPTY_LINE,
    ...table({
      width: page.width,
      columns: [
        { title: "setting", flexible: true },
        { title: "value", flexible: true },
        { title: "from", leaves: 1 },
        { title: "locked", leaves: 0 },
      ],
      rows: settings
        .filter(({ key }) => !key.includes("<"))
        .map(({ key, value, layer, locked }) => [
          key,
          valueText(value),
          span(layer, layer === "default" ? "faint" : "strong"),
          locked ? "yes" : "",
        ]),
    }),
    EMPTY_LINE,
    ...wrap(
      "As read now, with the variables of this shell; a running daemon keeps what it read at its start or at the last SIGHUP.",
      { ...page, tone: "faint" },
    ),
  ];
}

export function checkedLines(
  { files, warnings }: { readonly files: readonly ConfigFile[]; readonly warnings: readonly Warning[] },
  page: Page,
): Line[] {
  const verdict =
    warnings.length === 0
      ? line(span("the configuration can be used", "good"))
      : line(span("the configuration can be used, but", "warn"));
  return [verdict, ...warningLines(warnings, page), ...fileLines(files, page)];
}

function fileLines(files: readonly ConfigFile[], page: Page): Line[] {
  return files.flatMap(({ layer, path, present }) =>
    wrap(`${layer}: ${path}${present ? "" : " (not there)"}`, { ...page, tone: "faint", indent: 2 }),
  );
}

export function explainedLines(settings: readonly ExplainedSetting[], page: Page): Line[] {
  return settings.flatMap((setting, at) => [
    ...(at === 0 ? [] : [EMPTY_LINE]),
    ...wrap(setting.key, { ...page, tone: "strong" }),
    ...[setting.sentence, ...factsOf(setting)]
      .filter((text) => text !== "")
      .flatMap((text) => wrap(text, { ...page, firstIndent: 2, indent: 4 })),
  ]);
}

function factsOf({
  key,
  value,
  layer,
  source,
  allowed,
  locked,
  variable,
  ...rest
}: ExplainedSetting): string[] {
  const from = source === null ? layer : `${layer} (${source})`;
  const isEntry = key.includes("<");
  return [
    ...(isEntry ? [] : [`value: ${valueText(value)}`, `from: ${from}`]),
    `allowed: ${allowed}`,
    `default: ${valueText(rest.default)}`,
    variable === null ? "" : `variable: ${variable}`,
    locked ? "locked: only the managed file may set it" : "",
  ];
}

/** A value as it stands in `config.json`. */
function valueText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
