// The completion script of bash (3.2 and newer), as text. Nothing in it evaluates a word it was given.
import type { CommandEntry, Place } from "../command.ts";
import { namesOf, placesOf, PROGRAM } from "../grammar.ts";
import type { ScriptTable } from "./lines.ts";
import { isLookedUp, LOOK_UP_COMMAND, quoted, scriptTable, valued } from "./lines.ts";

export function bashScript(table: readonly CommandEntry[]): string {
  const { commands, names, globals } = scriptTable(table);
  return `# ${PROGRAM} in bash. In ~/.bashrc: source <(${PROGRAM} completion bash)

# Sets kind: what the value of option $2 of command $1 is; empty when it takes none.
_engramd_value() {
  kind=
  case "$1 $2" in
${valueCases({ commands, globals, names })}
  esac
}

# Sets kind: what word number $2 of command $1 is.
_engramd_place() {
  kind=
  case "$1 $2" in
${commands.flatMap(placeCases).join("\n")}
    'help 1') kind=${quoted(`=${names.join(" ")}`)} ;;
  esac
}

# Sets flags: the options of command $1.
_engramd_flags() {
  flags=${quoted(globals.flatMap(namesOf).join(" "))}
  case "$1" in
${commands.flatMap(flagCases).join("\n")}
  esac
}
${LOOK_UP}
${OFFER}
${MAIN.replace("@COMMANDS@", () => quoted(`=${names.join(" ")}`))}
complete -F _engramd ${PROGRAM}
`;
}

function valueCases({ commands, globals }: ScriptTable): string {
  const own = commands.flatMap(({ name, options }) =>
    valued(options).flatMap(({ names, place }) =>
      names.map((flag) => `    ${quoted(`${name} ${flag}`)}) kind=${kindOf(place)} ;;`),
    ),
  );
  const everywhere = valued(globals).flatMap(({ names, place }) =>
    names.map((flag) => `    *${quoted(` ${flag}`)}) kind=${kindOf(place)} ;;`),
  );
  return [...own, ...everywhere].join("\n");
}

function placeCases(entry: CommandEntry): string[] {
  const { places, repeats } = placesOf(entry);
  return places.map((place, at) => {
    const number = repeats && at === places.length - 1 ? "*" : `'${at + 1}'`;
    return `    ${quoted(`${entry.name} `)}${number}) kind=${kindOf(place)} ;;`;
  });
}

function flagCases({ name, options }: CommandEntry): string[] {
  if (options.length === 0) return [];
  return [`    ${quoted(name)}) flags=${quoted(`${options.flatMap(namesOf).join(" ")} `)}$flags ;;`];
}

/** "=" before words that are known; else the name of what it is. */
function kindOf(place: Place): string {
  if (typeof place !== "string") return quoted(`=${place.join(" ")}`);
  return isLookedUp(place) ? quoted(`?${place}`) : place;
}

const LOOK_UP = `
# Words only ${PROGRAM} knows. They may hold anything, so each is quoted as bash itself would.
_engramd_look_up() {
  local typed=$1 kind=$2 project=$3 open= word asked
  case "$typed" in
    [\\'\\"]*) open=\${typed:0:1} typed=\${typed:1} ;;
    *) typed=\${typed//\\\\/} ;;
  esac
  asked=("$kind")
  [[ -n $project ]] && asked+=(--project "\${project/#\\~\\//$HOME/}")
  while IFS= read -r word; do
    [[ "$word" == "$typed"* ]] || continue
    case "$open" in
      '') printf -v word %q "$word" ;;
      \\') [[ "$word" == *\\'* ]] && continue ;;
      *) [[ "$word" == *[\\"\\$\\\`\\\\!]* ]] && continue ;;
    esac
    COMPREPLY+=("$word")
  done < <(command ${PROGRAM} ${LOOK_UP_COMMAND} "\${asked[@]}" 2>/dev/null </dev/null)
}`;

const OFFER = `
# Offers what fits $1 of a kind.
_engramd_offer() {
  local typed=$1 kind=$2 project=$3 word IFS=$' \\t\\n'
  case "$kind" in
    =*)
      for word in \${kind:1}; do
        [[ "$word" == "$typed"* ]] && COMPREPLY+=("$word")
      done
      ;;
    \\?*) _engramd_look_up "$typed" "\${kind:1}" "$project" ;;
    file) compopt -o default 2>/dev/null ;;
    folder) compopt -o dirnames 2>/dev/null ;;
  esac
}`;

const MAIN = `
_engramd() {
  local typed=\${COMP_WORDS[COMP_CWORD]} at=0 count=0 word command= kind= flag= ended= project= flags=
  COMPREPLY=()
  while ((++at < COMP_CWORD)); do
    word=\${COMP_WORDS[at]}
    if [[ -n $kind ]]; then
      # "--type=x" comes as three words.
      [[ $word == = ]] && continue
      [[ $flag == --project && $word != *[\\'\\"\\\\\\$\\\`]* ]] && project=$word
      kind=
    elif [[ -n $ended || $word != -* ]]; then
      if [[ -z $command ]]; then command=$word; else ((++count)); fi
    elif [[ $word == -- ]]; then
      ended=1
    else
      flag=$word
      _engramd_value "$command" "$word"
    fi
  done
  [[ -n $kind && $typed == = ]] && typed=
  if [[ -z $kind ]]; then
    if [[ -z $ended && $typed == -* ]]; then
      _engramd_flags "$command"
      kind="=$flags"
    elif [[ -z $command ]]; then
      kind=@COMMANDS@
    else
      _engramd_place "$command" $((count + 1))
    fi
  fi
  _engramd_offer "$typed" "$kind" "$project"
}`;
