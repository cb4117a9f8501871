// Which folders may hold memory at all. Pure: the caller resolves links and asks again with the real path.
import { isAbsolute, join, normalize, resolve } from "node:path";
import { isInside } from "../../system/paths.ts";

export type Checked =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string };

export interface SafePlaceFacts {
  readonly home: string;
  readonly claudeHomes: readonly string[];
}

/** Shorter overrides (`/`, `/x`) are mistakes, as the agent itself treats them. */
const OVERRIDE_CHARS_MIN = 3;

/** Below `$HOME`: keys, and files that a login, a session or a service manager runs. */
const PROTECTED_IN_HOME = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".kube",
  ".docker",
  ".netrc",
  ".config/systemd",
  ".local/share/systemd",
  ".config/autostart",
  ".config/fish",
  ".config/environment.d",
  "Library/LaunchAgents",
  ".local/bin",
  "bin",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bashrc.d",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zshrc.d",
  ".oh-my-zsh",
  ".gitconfig",
  ".config/git",
];

/** Below the agent's home: its settings, and folders whose Markdown it obeys or runs. */
const PROTECTED_IN_CLAUDE_HOME = [
  "settings.json",
  "CLAUDE.md",
  "commands",
  "agents",
  "skills",
  "hooks",
  "plugins",
  "rules",
  "output-styles",
  "sessions",
];

/** The system's own. */
const PROTECTED = [
  "/etc",
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/boot",
  "/dev",
  "/proc",
  "/sys",
  "/System",
  "/private/etc",
];

/** Why memory must not be put there; undefined when it may. `path` is absolute and normalised. */
export function protectedReason(path: string, { home, claudeHomes }: SafePlaceFacts): string | undefined {
  // Letter case is ignored: it may not matter to the disk, and refusing `.SSH` harms nobody.
  const wanted = path.normalize("NFC").toLowerCase();
  const inside = (folder: string) => isInside(wanted, folder.toLowerCase());
  const around = (folder: string) => isInside(folder.toLowerCase(), wanted);
  if (around(home)) return "it is the home folder or holds it";
  if (PROTECTED.some(inside) && !inside(home)) return "it belongs to the system";
  const neighbour = /^\/(home|users)\/[^/]+/.exec(wanted)?.[0];
  if (neighbour !== undefined && !isInside(home.toLowerCase(), neighbour)) return "it is another person's";
  if (wanted.split("/").includes(".git")) return "it lies inside a git folder";
  const places = [
    ...PROTECTED_IN_HOME.map((name) => join(home, name)),
    ...claudeHomes.flatMap((claude) => PROTECTED_IN_CLAUDE_HOME.map((name) => join(claude, name))),
  ];
  const hit = places.find((place) => inside(place) || around(place));
  return hit === undefined ? undefined : `it is, holds or lies in ${hit}`;
}

/** Checks an override that is taken as written (environment). A refused one counts as not set. */
export function validateOverride(value: string, facts: SafePlaceFacts): Checked {
  if (value === "") return refused("it is empty");
  if (value.includes("\0")) return refused("it holds a NUL");
  if (/^(\/\/|\\\\)/.test(value)) return refused("it is a network path");
  if (/^[A-Za-z]:/.test(value) || !isAbsolute(value)) return refused("it is not an absolute path");
  const path = withoutTail(normalize(value.normalize("NFC")));
  if (path.length < OVERRIDE_CHARS_MIN) return refused("it is too short to be meant");
  const why = protectedReason(path, facts);
  return why === undefined ? { ok: true, path } : refused(why);
}

/** Checks a value of the settings, where a leading `~/` means the home folder. */
export function validateSetting(value: string, facts: SafePlaceFacts): Checked {
  if (value === "~") return refused("it is the home folder or holds it");
  if (!value.startsWith("~/") || value.includes("\0")) return validateOverride(value, facts);
  return validateOverride(resolve(facts.home, value.slice(2)), facts);
}

function withoutTail(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function refused(why: string): Checked {
  return { ok: false, why };
}
