// The completion script of zsh, as text. Nothing in it evaluates a word it was given; zsh quotes what it inserts.
import type { CommandEntry, OptionEntry, Place } from "../command.ts";
import { namesOf, placesOf, PROGRAM, valueName, valueOf } from "../grammar.ts";
import type { ScriptTable } from "./lines.ts";
import { isLookedUp, LOOK_UP_COMMAND, quoted, scriptTable } from "./lines.ts";

export function zshScript(table: readonly CommandEntry[]): string {
  const script = scriptTable(table);
  const { commands, globals } = script;
  return `#compdef ${PROGRAM}
# ${PROGRAM} in zsh. In ~/.zshrc, after compinit: source <(${PROGRAM} completion zsh)
# Or save this as _${PROGRAM} in a folder of $fpath.
${LOOK_UP}
_engramd() {
  local context state state_descr line curcontext="$curcontext" project
  local -a engramd_globals engramd_commands
  typeset -A opt_args
  engramd_globals=(
${globals.map((option) => `    ${optionSpec(option)}`).join("\n")}
  )
  engramd_commands=(
${describedCommands(script)}
  )
  _arguments -C "$engramd_globals[@]" ':command:->command' '*::word:->words'
  case "$state" in
    command) _describe -t commands command engramd_commands ;;
    words)
      project=\${(Q)opt_args[--project]}
      case "$words[1]" in
${commands.map(commandCase).join("\n")}
        help) _arguments '1:command:->help'
          [[ "$state" == help ]] && _describe -t commands command engramd_commands ;;
      esac
      ;;
  esac
}

if [[ "$funcstack[1]" == _engramd ]]; then _engramd "$@"; else compdef _engramd ${PROGRAM}; fi
`;
}

const LOOK_UP = `
# Words only ${PROGRAM} knows: the last argument is their kind, those before it are for compadd.
_engramd_look_up() {
  local -a found asked
  [[ -n "$project" ]] || project=\${(Q)opt_args[--project]}
  asked=("$@[-1]")
  [[ -n "$project" ]] && asked+=(--project "\${project/#\\~\\//$HOME/}")
  found=(\${(f)"$(command ${PROGRAM} ${LOOK_UP_COMMAND} "$asked[@]" 2>/dev/null </dev/null)"})
  compadd "\${@[1,-2]}" -a found
}
`;

function describedCommands({ commands }: ScriptTable): string {
  const all = [...commands, { name: "help", summary: "print help" }];
  return all
    .map(({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`)
    .join("\n");
}

function commandCase(entry: CommandEntry): string {
  const specs = [...entry.options.map(optionSpec), ...placeSpecs(entry)];
  return `        ${entry.name}) _arguments "$engramd_globals[@]"${specs.map((spec) => ` \\\n            ${spec}`).join("")} ;;`;
}

function optionSpec(option: OptionEntry): string {
  const names = namesOf(option);
  const place = valueOf(option);
  const value = place === undefined ? "" : `:${valueName(option)}:${action(place)}`;
  const text = quoted(`[${escaped(option.summary)}]${value}`);
  if (names.length === 1) return `${names[0] ?? ""}${place === undefined ? "" : "="}${text}`;
  const forms = names.map((name) =>
    place === undefined ? name : name.startsWith("--") ? `${name}=` : `${name}+`,
  );
  return `${quoted(`(${names.join(" ")})`)}{${forms.join(",")}}${text}`;
}

function placeSpecs(entry: CommandEntry): string[] {
  const { places, repeats } = placesOf(entry);
  const titles = entry.words.split(" ").map((word) => word.replaceAll(/[^\w-]/gu, ""));
  return places.map((place, at) => {
    const number = repeats && at === places.length - 1 ? "*" : String(at + 1);
    return quoted(`${number}:${titles[at] ?? ""}:${action(place)}`);
  });
}

function action(place: Place): string {
  if (typeof place !== "string") return `(${place.join(" ")})`;
  if (isLookedUp(place)) return `_engramd_look_up ${place}`;
  return place === "file" ? "_files" : place === "folder" ? "_files -/" : " ";
}

function escaped(summary: string): string {
  return summary.replaceAll(/[[\]\\:]/gu, "\\$&");
}
