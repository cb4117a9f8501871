// What engramd says about projects and the folders of their memory. Documents are a contract: add, never rename.
import type { AgentId, ProjectKey } from "./sessions.ts";

export interface ProjectItem {
  readonly key: ProjectKey;
  readonly root: string;
  readonly memoryDir: string;
  readonly mode: "auto" | "propose" | "read-only" | "off";
  readonly memories: number;
  /** Agents whose sessions taught it. */
  readonly agents: readonly AgentId[];
  /** The folder its agent would read itself; null where it already is that one. */
  readonly better: string | null;
  /** Where a move that can be taken back came from; null without one. */
  readonly movedFrom: string | null;
}

export interface ProjectList {
  readonly v: 1;
  readonly projects: readonly ProjectItem[];
}

export interface MoveRequest {
  /** Absolute path inside the project. */
  readonly project: string;
  /** Take the last move back. */
  readonly back?: boolean;
  /** Say what would be moved; change nothing. */
  readonly dryRun?: boolean;
}

export interface MoveReply {
  readonly v: 1;
  /** `nothing`: there is nowhere better, or nothing to take back. */
  readonly outcome: "moved" | "planned" | "nothing" | "refused";
  readonly root: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Files copied, or to be copied. */
  readonly files: number;
  /** The old folder under its new name; null when it was not moved. */
  readonly kept: string | null;
  /** Files that both folders have, with different content. */
  readonly conflicts: readonly { readonly from: string; readonly to: string }[];
  readonly message: string;
}
