// Small scripts that stand for programs of the system (systemctl, launchctl, ...) and note how they were called.
import { chmodSync, existsSync, readFileSync } from "node:fs";
import type { TempFolder } from "./temp-folder.ts";

export interface FakePrograms {
  /** The folder for `PATH`; nothing else is in it. */
  readonly path: string;
  /** A program that notes its call and then does `body` (of `/bin/sh`; other programs by absolute path). */
  add(name: string, body: string): void;
  /** Calls so far, each as one line: the name and its arguments. */
  calls(): string[];
}

export function createFakePrograms(folder: TempFolder): FakePrograms {
  const path = folder.folder("fake-bin");
  const noted = folder.at("calls.txt");
  return {
    path,
    add(name, body) {
      const script = `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> '${noted}'\n${body}\n`;
      chmodSync(folder.write(`fake-bin/${name}`, script), 0o755);
    },
    calls: () => (existsSync(noted) ? readFileSync(noted, "utf8").trimEnd().split("\n") : []),
  };
}

/** A service manager that can do everything: what is started is on until it is stopped. */
export function addSystemd(programs: FakePrograms, folder: TempFolder): void {
  const on = `'${folder.at("service-is-on")}'`;
  programs.add(
    "systemctl",
    `case "$*" in
  *" is-enabled "* | *" is-active "*) test -e ${on} ;;
  *" restart "*) : > ${on} ;;
  *" stop "* | *" disable "*) /bin/rm -f ${on} ;;
esac`,
  );
  programs.add("systemd-run", "exit 0");
  programs.add("loginctl", "echo no");
  programs.add("journalctl", `printf 'one\\ntwo \\033[31mred\\n'`);
}
