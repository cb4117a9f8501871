// What `install` and `uninstall` say: each change, how to undo it, what to know. Sentences fit the page; paths and
// commands stay whole, to be copied.
import type { Warning } from "../../domain/status.ts";
import type { Change, InstallReport } from "../../serve/deliver/install/install.ts";
import type { UninstallReport } from "../../serve/deliver/install/uninstall.ts";
import type { Line, Page, Tone } from "./line.ts";
import { line, span, wrap } from "./line.ts";

/** Room for the longest word before what it is about. */
const WORD_WIDTH = 8;

export function installLines(report: InstallReport, page: Page): Line[] {
  const { service, changes, warnings, undo } = report;
  const heads: Readonly<Record<InstallReport["outcome"], readonly [string, Tone]>> = {
    installed: [`engramd runs as a service (${service.kind}), now and at every login`, "good"],
    unchanged: [`engramd is installed as a service (${service.kind}) and on: nothing to change`, "good"],
    written: [`the service (${service.kind}) is written and not started`, "warn"],
  };
  const [head, tone] = heads[report.outcome];
  return [
    ...wrap(head, { width: page.width, tone }),
    ...changes.map(changeLine),
    entry("runs", `${service.node} ${service.entry}`),
    ...service.environment.map(({ name, value }) => entry("with", `${name}=${value}`)),
    ...(service.network ? [] : [entry("network", "none")]),
    ...lingerLines(report, page),
    entry("undo", undo),
    ...warnings.flatMap((warning) => warningLines(warning, page)),
  ];
}

function lingerLines({ linger }: InstallReport, { width }: Page): Line[] {
  if (linger === null) return [];
  const text = linger
    ? "on: it goes on when you log out"
    : "off: it stops when you log out; to keep it running: loginctl enable-linger";
  const indent = 2 + WORD_WIDTH;
  const [first = [], ...rest] = wrap(text, { width, firstIndent: indent, indent });
  return [
    entry(
      "linger",
      first
        .map((part) => part.text)
        .join("")
        .trimStart(),
    ),
    ...rest,
  ];
}

export function uninstallLines({ service, changes, kept, warnings }: UninstallReport, page: Page): Line[] {
  const head = service === null ? "engramd is not installed as a service" : "engramd is no longer a service";
  return [
    ...wrap(head, { width: page.width, tone: "good" }),
    ...changes.map(changeLine),
    ...kept.map((path) => entry("left", path)),
    ...warnings.flatMap((warning) => warningLines(warning, page)),
  ];
}

function changeLine({ did, what }: Change): Line {
  return entry(did, what);
}

function entry(word: string, text: string): Line {
  return line("  ", span(word.padEnd(WORD_WIDTH), "faint"), text);
}

function warningLines({ message, fix }: Warning, { width }: Page): Line[] {
  return wrap(`${message}${fix === null ? "" : `: ${fix}`}`, {
    width,
    tone: "warn",
    indent: 2,
    firstIndent: 0,
  });
}
