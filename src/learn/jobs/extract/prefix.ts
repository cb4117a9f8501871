// What every request of an extraction begins with: the system text and the tools, measured once. The same for all
// projects and people; nothing of a session may ever stand in it.
import { sizeOfPrefix } from "../../runs/spending.ts";
import { MEMORY_TOOLS } from "../../runs/tools/registry.ts";
import { systemPrompt } from "./prompt.ts";

export const PREFIX = {
  system: systemPrompt(),
  tools: MEMORY_TOOLS,
  size: sizeOfPrefix(
    systemPrompt(),
    MEMORY_TOOLS.map(({ spec }) => spec),
  ),
} as const;
