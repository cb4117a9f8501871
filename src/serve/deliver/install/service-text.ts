// The text of the service's file: the shipped one with the absolute paths of this machine. Pure; a text that the
// service manager could read as something else is refused.
import { AppError } from "../../../domain/errors.ts";

export interface ServicePlan {
  readonly node: string;
  /** Entry and arguments. */
  readonly args: readonly string[];
  readonly environment: readonly Variable[];
  readonly network: boolean;
  /** Whether the manager can give the service namespaces of its own. */
  readonly namespaces: boolean;
  /** Whether the manager hears what the daemon tells it. */
  readonly notify: boolean;
  /** Folders outside the home folder the service has to write. */
  readonly writable: readonly string[];
  /** Where launchd puts what is printed to standard error: why the daemon ended. */
  readonly printed: string;
}

export interface Variable {
  readonly name: string;
  readonly value: string;
}

const WRITTEN =
  "# Written by `engramd install`; `engramd uninstall` removes it. Edited by hand it is left alone.";
/** Parts of the shipped unit that not every machine can do. */
const BLOCKS = ["namespaces", "notify"] as const;
type Block = (typeof BLOCKS)[number];
const startOf = (block: Block) => `# begin ${block}`;
const endOf = (block: Block) => `# end ${block}`;

export function unitText(template: string, plan: ServicePlan): string {
  const lines = template.split("\n");
  const parts = ["[Unit]", ...BLOCKS.flatMap((block) => [startOf(block), endOf(block)])];
  if (parts.some((part) => !lines.includes(part))) throw incomplete();
  const kept = BLOCKS.filter((block) => !plan[block]).reduce<readonly string[]>(withoutBlock, lines);
  return [
    WRITTEN,
    ...kept
      .slice(kept.indexOf("[Unit]"))
      .flatMap((line) => unitLine(line, plan))
      // The line before a block that was left out.
      .filter((line, at, all) => line !== "" || all[at - 1] !== ""),
  ].join("\n");
}

function withoutBlock(lines: readonly string[], block: Block): string[] {
  return [...lines.slice(0, lines.indexOf(startOf(block))), ...lines.slice(lines.indexOf(endOf(block)) + 1)];
}

/** Settings that limit a program, so that they can be tried on one that does nothing. */
const LIMITS = /^(?:Capability|Keyring|Lock|NoNew|Private|Protect|Restrict|SystemCall|UMask)/u;

export function limits(template: string, { namespaces }: Pick<ServicePlan, "namespaces">): string[] {
  const lines = template.split("\n");
  return (namespaces ? lines : withoutBlock(lines, "namespaces")).filter((line) => LIMITS.test(line));
}

function unitLine(line: string, plan: ServicePlan): string[] {
  if (line.startsWith("ExecStart=")) {
    // The name of a program, other than its arguments, may not hold these at all.
    if (/["'\\]/u.test(plan.node)) throw unsafe(plan.node);
    const words = [plan.node, ...plan.args];
    // With a colon the manager leaves "$" alone; managers before 244 do not know it.
    const verbatim = words.some((word) => word.includes("$")) ? ":" : "";
    return [
      `ExecStart=${verbatim}${words.map(unitWord).join(" ")}`,
      ...plan.environment.map(({ name, value }) => `Environment=${unitWord(`${name}=${value}`)}`),
    ];
  }
  if (line.startsWith("RestrictAddressFamilies=") && !plan.network)
    return ["RestrictAddressFamilies=AF_UNIX"];
  if (line.startsWith("ReadWritePaths="))
    return [[line, ...plan.writable.map((path) => unitWord(`-${path}`))].join(" ")];
  return [line];
}

/** A path as it stands in the file of a manager. */
export function wordIn(kind: "systemd" | "launchd", text: string): string {
  return kind === "systemd" ? unitWord(text) : `<string>${xmlText(text)}</string>`;
}

function unitWord(text: string): string {
  const escaped = printable(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /^[\w@+=:,./-]+$/u.test(text) ? text : `"${escaped}"`;
}

export function agentText(template: string, plan: ServicePlan): string {
  const list = [plan.node, ...plan.args].map((word) => `<string>${xmlText(word)}</string>`).join("");
  const variables = plan.environment
    .map(({ name, value }) => `<key>${xmlText(name)}</key><string>${xmlText(value)}</string>`)
    .join("");
  const [comment = ""] = /<!-- Agent[^>]*-->/u.exec(template) ?? [];
  const places: readonly (readonly [string, string])[] = [
    [comment, "<!-- Written by engramd install; engramd uninstall removes it. -->"],
    [
      "<array><string>NODE</string><string>MAIN</string><string>run</string><string>--log-file</string></array>",
      `<array>${list}</array>`,
    ],
    ["<dict></dict>", `<dict>${variables}</dict>`],
    ["<string>PRINTED</string>", `<string>${xmlText(plan.printed)}</string>`],
  ];
  if (places.some(([from]) => from === "" || !template.includes(from))) throw incomplete();
  return places.reduce((text, [from, to]) => text.replaceAll(from, () => to), template);
}

function xmlText(text: string): string {
  return printable(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A line break in a path would begin a new setting. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what it must not hold
  if (!/[\u0000-\u001f\u007f-\u009f\ufffd]|\p{Surrogate}/u.test(text)) return text;
  throw unsafe(text);
}

function unsafe(text: string): AppError {
  return new AppError({
    code: "unsafe-path",
    message: `${JSON.stringify(text)} cannot stand in a service file`,
    fix: "rename that folder, or unset the variable",
  });
}

function incomplete(): AppError {
  return new AppError({
    code: "package-incomplete",
    message: "the service file of this installation is not the one it was shipped with",
    fix: "install engramd again",
  });
}
