// Reads a systemd unit as systemd does, as far as our units go: which words ExecStart runs, and with which variables.

/** Program and arguments of `ExecStart=`, after the manager's quoting, escapes and specifiers. */
export function execStartOf(unit: string): string[] {
  return unitWords(settingsOf(unit, "ExecStart")[0]?.replace(/^:/u, "") ?? "");
}

/** All `Environment=` settings. */
export function environmentOf(unit: string): Record<string, string> {
  const pairs = settingsOf(unit, "Environment").flatMap(unitWords);
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
  );
}

function settingsOf(unit: string, name: string): string[] {
  return unit
    .split("\n")
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));
}

/** Words are separated by blanks outside quotes; `\x` inside stands for x, `%%` for one percent sign. */
function unitWords(text: string): string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[^\s"'\\])+/gu) ?? [];
  return words.map((word) =>
    word
      .replaceAll(
        /"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'/gu,
        (_all, double?: string, single?: string) => double ?? single ?? "",
      )
      .replaceAll(/\\(.)/gu, "$1")
      .replaceAll("%%", "%"),
  );
}
