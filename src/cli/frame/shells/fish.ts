// The completion script of fish, as text. Nothing in it evaluates a word it was given; fish quotes what it inserts.
import type { CommandEntry, OptionEntry, Place } from "../command.ts";
import { namesOf, placesOf, PROGRAM, valueOf } from "../grammar.ts";
import { fishQuoted, isLookedUp, LOOK_UP_COMMAND, scriptTable, valued } from "./lines.ts";

export function fishScript(table: readonly CommandEntry[]): string {
  const { commands, globals } = scriptTable(table);
  const skipped = [...globals, ...commands.flatMap(({ options }) => options)];
  const flags = [...new Set(valued(skipped).flatMap(({ names }) => names))];
  const named = [...commands, { name: "help", summary: "print help" }];
  return `# ${PROGRAM} in fish. In config.fish: ${PROGRAM} completion fish | source
# Or save this as ~/.config/fish/completions/${PROGRAM}.fish.
${placeFunction(flags)}
complete -c ${PROGRAM} -f
${globals.map((option) => `complete -c ${PROGRAM} ${optionWords(option)}`).join("\n")}
${named.map(({ name, summary }) => offer(" 0", `-a ${fishQuoted(name)} -d ${fishQuoted(summary)}`)).join("\n")}
${named.map(({ name }) => offer("help 0", `-a ${fishQuoted(name)}`)).join("\n")}
${commands.flatMap(commandLines).join("\n")}
`;
}

/** Where the cursor is: the command and how many words stand after it. */
function placeFunction(valuedFlags: readonly string[]): string {
  return `
function __engramd_place
    set -l command
    set -l count 0
    set -l skip
    set -l tokens (commandline -opc)
    for word in $tokens[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        switch $word
            case ${valuedFlags.join(" ")}
                set skip 1
            case '-*'
            case '*'
                if test -z "$command"
                    set command $word
                else
                    set count (math $count + 1)
                end
        end
    end
    echo "$command $count"
end

# Words only ${PROGRAM} knows.
function __engramd_look_up -a kind
    set -l asked $kind
    set -l tokens (commandline -opc)
    set -l at (contains -i -- --project $tokens)
    and set -a asked --project (string replace -r '^~/' "$HOME/" -- $tokens[(math $at + 1)])
    command ${PROGRAM} ${LOOK_UP_COMMAND} $asked 2>/dev/null </dev/null
end
`;
}

function commandLines(entry: CommandEntry): string[] {
  const { places, repeats } = placesOf(entry);
  return [
    ...entry.options.map((option) => offer(`${entry.name} *`, optionWords(option))),
    ...places.flatMap((place, at) => {
      const words = placeWords(place);
      const count = repeats && at === places.length - 1 ? "*" : String(at);
      return words === "" ? [] : [offer(`${entry.name} ${count}`, words)];
    }),
  ];
}

function offer(place: string, words: string): string {
  return `complete -c ${PROGRAM} -n "string match -q -- '${place}' (__engramd_place)" ${words}`;
}

function optionWords(option: OptionEntry): string {
  const names = namesOf(option).map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const place = valueOf(option);
  const value = place === undefined ? "" : ` -r ${placeWords(place)}`;
  return `${names.join(" ")} -d ${fishQuoted(option.summary)}${value}`.trimEnd();
}

function placeWords(place: Place): string {
  if (typeof place !== "string") return `-a ${fishQuoted(place.join(" "))}`;
  if (isLookedUp(place)) return `-a '(__engramd_look_up ${place})'`;
  if (place === "file") return "-F";
  return place === "folder" ? "-a '(__fish_complete_directories (commandline -ct))'" : "";
}
