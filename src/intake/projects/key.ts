// Names derived from a project's root: the agent's folder name (lossy) and our own identity (exact).
// Never turns a key back into a path.
import { basename } from "node:path";
import type { ProjectId, ProjectKey } from "../../domain/sessions.ts";
import { shortHash } from "../../system/ids.ts";

/** Characters of a key before the agent appends a hash. */
const KEY_PREFIX_CHARS = 200;

/** Readable part of an id; enough to recognise a project in a file listing. */
const ID_NAME_CHARS = 40;
/** 64 bits: two roots of one person never share an id. */
const ID_HASH_CHARS = 16;

/**
 * Folder name the agent uses for `root`: every UTF-16 unit outside `[A-Za-z0-9]` becomes a dash; beyond
 * 200 units the rest is replaced by a base-36 hash. Different roots may share a key.
 */
export function projectKey(root: string): ProjectKey {
  const path = root.normalize("NFC");
  const dashed = path.replace(/[^A-Za-z0-9]/g, "-");
  if (dashed.length <= KEY_PREFIX_CHARS) return dashed;
  return `${dashed.slice(0, KEY_PREFIX_CHARS)}-${pathHash(path)}`;
}

/** What every spelling of a long key starts with, whichever hash its writer used; undefined for a short one. */
export function longKeyPrefix(root: string): string | undefined {
  const key = projectKey(root);
  return key.length > KEY_PREFIX_CHARS ? `${key.slice(0, KEY_PREFIX_CHARS)}-` : undefined;
}

/** The agent's 32-bit string hash (`h * 31 + unit`) over the path as it was before dashes replaced anything. */
function pathHash(path: string): string {
  let hash = 0;
  for (let at = 0; at < path.length; at++) hash = (Math.imul(hash, 31) + path.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(36);
}

/**
 * Identity of a project in our state, safe as a file name. `agentHome` is given where the root alone does
 * not tell two projects apart (a path inside two different containers, two homes of one agent).
 */
export function projectId(root: string, agentHome?: string): ProjectId {
  const path = root.normalize("NFC");
  const name = (basename(path.replaceAll("\\", "/")) || "root")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .slice(0, ID_NAME_CHARS)
    .replace(/^-+|-+$/g, "");
  const identity = agentHome === undefined ? path : `${path}\0${agentHome.normalize("NFC")}`;
  return `${name || "project"}-${shortHash(identity, ID_HASH_CHARS)}`;
}
