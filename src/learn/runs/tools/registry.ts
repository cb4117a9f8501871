// The tools every run has. A new one is a file here and one line below; a job passes its own beside them.
import { editTool } from "./edit.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readTool } from "./read.ts";
import type { Tool } from "./tool.ts";
import { writeTool } from "./write.ts";

/** In a fixed order: the list is part of the prefix a provider may cache. */
export const MEMORY_TOOLS: readonly Tool[] = [readTool, grepTool, globTool, writeTool, editTool];
