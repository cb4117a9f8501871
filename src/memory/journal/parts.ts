// What the writer is made of, built once and handed to every step.
import type { Clock } from "../../system/clock.ts";
import type { Emitter } from "../../system/emitter.ts";
import type { FileLocks } from "../../system/file-lock.ts";
import type { Files } from "../../system/files.ts";
import type { Log } from "../../system/log.ts";
import { createOwnBullets, type OwnBulletStore } from "../files/own-bullets.ts";
import { createRefusedStore, type RefusedStore } from "../gate/refused.ts";
import { createEvidenceStore, type EvidenceStore } from "./evidence.ts";
import { createJournal, type Journal } from "./journal.ts";
import { createMemoryFolders, type MemoryFolders } from "./open-memory.ts";

export interface Parts {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly log: Log;
  readonly stateDir: string;
  readonly folders: MemoryFolders;
  readonly journal: Journal;
  readonly evidence: EvidenceStore;
  readonly refused: RefusedStore;
  readonly bullets: OwnBulletStore;
}

export interface PartsDeps {
  readonly files: Files;
  readonly clock: Clock;
  readonly emitter: Emitter;
  readonly stateDir: string;
  readonly locks: FileLocks;
  readonly log: Log;
}

export function createParts(deps: PartsDeps): Parts {
  const { files, clock, emitter, log, stateDir } = deps;
  return {
    files,
    clock,
    emitter,
    log,
    stateDir,
    folders: createMemoryFolders(deps),
    journal: createJournal(deps),
    evidence: createEvidenceStore(deps),
    refused: createRefusedStore(deps),
    bullets: createOwnBullets(deps),
  };
}
