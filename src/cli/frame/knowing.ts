// Which command lines the program has, for texts that name one.
import type { CommandContext } from "./command.ts";

/** Whether a line such as `undo --all` names a command of the table, and options that command has. */
export function knowing({ commands = [] }: Pick<CommandContext, "commands">): (line: string) => boolean {
  return (line) => {
    const [name, ...rest] = line.split(" ");
    const entry = commands.find((each) => each.name === name && each.hidden !== true);
    if (entry === undefined) return false;
    const flags = entry.options.flatMap((option) => option.flags.split(/[ ,]+/u));
    return rest.every((word) => !word.startsWith("-") || flags.includes(word));
  };
}
