// Names of agents, sessions and projects. Must never hold content.

/** Agents engramd knows; the value is what users write in the configuration. */
export const AGENTS = [
  "claude-code",
  "codex",
  "gemini-cli",
  "copilot-cli",
  "qwen-code",
  "pi",
  "opencode",
] as const;
export type AgentId = (typeof AGENTS)[number];

/** Folder-safe name of a project root as the agent derives it; lossy, so never an identity. */
export type ProjectKey = string;

/** Identity of a project in our own state: readable prefix plus a hash of the NFC root. */
export type ProjectId = string;

/** A canonical repository root (or plain folder) shared by its worktrees. */
export interface ProjectRef {
  readonly id: ProjectId;
  readonly key: ProjectKey;
  /** Absolute path in NFC; may name a folder that does not exist on this machine. */
  readonly root: string;
  /** Agent home (for example `~/.claude`) whose sessions this project has, if the agent has one. */
  readonly agentHome: string | undefined;
  /** Whether `root` was a folder on this machine when it was resolved. */
  readonly present: boolean;
}

export interface SessionRef {
  readonly agent: AgentId;
  readonly id: string;
  readonly projectId: ProjectId | undefined;
}
