// `forget`: a person removes a memory, through the same gate as everything else. It stays in the history: `purge.ts`.
import type { Memory } from "../../domain/memories.ts";
import type { ForgetReply, ForgetRequest } from "../../domain/service.ts";
import type { ProjectRef } from "../../domain/sessions.ts";
import { forgetChange, memoriesNamed } from "../../memory/gate/person.ts";
import { newRunId } from "../../system/ids.ts";
import type { PersonDeps } from "./remember.ts";
import { setOf } from "./remember.ts";

export async function answerForget(request: ForgetRequest, deps: PersonDeps): Promise<ForgetReply> {
  const project = deps.projectAt(request.project);
  const { memoryDir } = deps.places.placeOf(project);
  const found = memoriesNamed(deps.views.view(memoryDir)?.memories ?? [], request.name);
  const matches = found.map((memory) => memory.file);
  const [memory] = found;
  if (memory === undefined) {
    return {
      v: 1,
      outcome: "not-found",
      file: null,
      message: `no memory is called ${request.name}`,
      matches,
    };
  }
  if (found.length > 1) {
    const message = `${request.name} names ${found.length} memories: ${matches.join(", ")}`;
    return { v: 1, outcome: "ambiguous", file: null, message, matches };
  }
  const why = await forgetMemory(memory, { project, memoryDir }, deps);
  if (why !== undefined) return { v: 1, outcome: "refused", file: memory.file, message: why, matches };
  return { v: 1, outcome: "forgotten", file: memory.file, message: `forgot ${memory.file}`, matches };
}

/** Answers why it may not be removed; undefined once it is. */
export async function forgetMemory(
  memory: Memory,
  { project, memoryDir }: { readonly project: ProjectRef; readonly memoryDir: string },
  deps: Pick<PersonDeps, "clock" | "commit">,
): Promise<string | undefined> {
  const run = newRunId(deps.clock.now());
  const set = setOf([forgetChange(memory)], { run, kind: "forget", project, memoryDir });
  const { verdicts } = await deps.commit(set, { evidenceTexts: new Map() });
  const [verdict] = verdicts;
  return verdict === undefined || verdict.accepted ? undefined : verdict.message;
}
