// What `install` and `uninstall` say: each change, how to undo it, what to know.
import type { Warning } from "../../domain/status.ts";
import type { Change, InstallReport } from "../../serve/deliver/install/install.ts";
import type { UninstallReport } from "../../serve/deliver/install/uninstall.ts";
import type { Line } from "./line.ts";
import { line, span } from "./line.ts";

/** Room for the longest word before what it is about. */
const WORD_WIDTH = 8;

export function installLines(report: InstallReport): Line[] {
  const { service, changes, warnings, undo } = report;
  const heads = {
    installed: span(`engramd runs as a service (${service.kind}), now and at every login`, "good"),
    unchanged: span(`engramd is installed as a service (${service.kind}) and on: nothing to change`, "good"),
    written: span(`the service (${service.kind}) is written and not started`, "warn"),
  };
  return [
    line(heads[report.outcome]),
    ...changes.map(changeLine),
    entry("runs", `${service.node} ${service.entry}`),
    ...service.environment.map(({ name, value }) => entry("with", `${name}=${value}`)),
    ...(service.network ? [] : [entry("network", "none")]),
    ...lingerLines(report),
    entry("undo", undo),
    ...warnings.map(warningLine),
  ];
}

function lingerLines({ linger }: InstallReport): Line[] {
  if (linger === null) return [];
  return [
    linger
      ? entry("linger", "on: it goes on when you log out")
      : entry("linger", "off: it stops when you log out; to keep it running: loginctl enable-linger"),
  ];
}

export function uninstallLines({ service, changes, kept, warnings }: UninstallReport): Line[] {
  const head = service === null ? "engramd is not installed as a service" : "engramd is no longer a service";
  return [
    line(span(head, "good")),
    ...changes.map(changeLine),
    ...kept.map((path) => entry("left", path)),
    ...warnings.map(warningLine),
  ];
}

function changeLine({ did, what }: Change): Line {
  return entry(did, what);
}

function entry(word: string, text: string): Line {
  return line("  ", span(word.padEnd(WORD_WIDTH), "faint"), text);
}

function warningLine({ message, fix }: Warning): Line {
  return line(span(`${message}${fix === null ? "" : `: ${fix}`}`, "warn"));
}
