// What every completion script needs of the table. Pure; quotes whatever is put into a script.
import type { CommandEntry, OptionEntry, Place } from "../command.ts";
import { GLOBAL_OPTIONS, HELP_OPTION, namesOf, shown, valueOf, VERSION_OPTION } from "../grammar.ts";

/** The one command people never see: it prints the words of a kind, one a line. */
export const LOOK_UP_COMMAND = "complete-words";
/** Kinds only engramd itself can list. */
export const LOOKED_UP = ["memory", "run", "past-run", "item", "setting"] as const;
export type LookedUp = (typeof LOOKED_UP)[number];

export interface ScriptTable {
  readonly commands: readonly CommandEntry[];
  /** Names of all commands, `help` included. */
  readonly names: readonly string[];
  readonly globals: readonly OptionEntry[];
}

export function scriptTable(table: readonly CommandEntry[]): ScriptTable {
  const commands = shown(table);
  return {
    commands,
    names: [...commands.map(({ name }) => name), "help"],
    globals: [...GLOBAL_OPTIONS, HELP_OPTION, VERSION_OPTION],
  };
}

export function isLookedUp(place: Place): place is LookedUp {
  return LOOKED_UP.some((kind) => kind === place);
}

export interface ValuedOption {
  readonly names: readonly string[];
  readonly place: Place;
}

export function valued(options: readonly OptionEntry[]): ValuedOption[] {
  return options.flatMap((option) => {
    const place = valueOf(option);
    return place === undefined ? [] : [{ names: namesOf(option), place }];
  });
}

/** For bash and zsh: the text in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For fish, where a backslash means something between single quotes. */
export function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
