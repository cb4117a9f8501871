// The scripts of all shells behind one door: one file of the build.
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

export const SCRIPTS = { bash: bashScript, fish: fishScript, zsh: zshScript } as const;
