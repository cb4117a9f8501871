// `engramd man-page`: the manual page as `man` reads it. Hidden: the build asks for it, and `npm install -g` installs it.
import { VERSION } from "../domain/version.ts";
import { EXIT } from "../domain/errors.ts";
import type { CommandEntry, Reply } from "./frame/command.ts";
import { line } from "./render/line.ts";

export async function run(table: readonly CommandEntry[]): Promise<Reply> {
  const { manPage } = await import("./frame/man-page.ts");
  const page = manPage({ commands: table, version: VERSION });
  return {
    exitCode: EXIT.ok,
    document: { v: 1, page },
    lines: () =>
      page
        .trimEnd()
        .split("\n")
        .map((text) => line(text)),
  };
}
