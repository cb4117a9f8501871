// Notes what a person wants none of although no memory says it: the same words never become one. Writes hashes and
// record ids only, never into the memory folder.
import type { Removal } from "../gate/refused.ts";
import { onDisk } from "./failures.ts";
import { folderIdOf, realPlace } from "./folder-id.ts";
import type { Parts } from "./parts.ts";

export interface WordRefuser {
  /** The same words never come back to this folder, which need not be there yet. Throws `state-failed` (retry). */
  refuse(memoryDir: string, removals: readonly Removal[]): void;
}

export function createWordRefuser({ files, stateDir, refused }: Parts): WordRefuser {
  return {
    refuse(memoryDir, removals) {
      const real = onDisk({ what: "memory", path: memoryDir }, () => realPlace(files, memoryDir));
      onDisk({ what: "state", path: stateDir }, () => refused.add(folderIdOf(real), removals));
    },
  };
}
