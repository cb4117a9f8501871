// What people call the agents. Names only.
import type { AgentId } from "../../domain/sessions.ts";

const NAMES: Readonly<Record<AgentId, string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  "copilot-cli": "Copilot CLI",
  "qwen-code": "Qwen Code",
  pi: "Pi",
  opencode: "opencode",
};

/** Its own id for an agent of a newer version. */
export function agentName(agent: AgentId): string {
  return NAMES[agent] ?? agent;
}
