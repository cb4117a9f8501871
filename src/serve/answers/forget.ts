// `forget`: a person removes a memory for good, through the same gate as everything else.
import { AppError, EXIT } from "../../domain/errors.ts";
import type { ForgetReply, ForgetRequest } from "../../domain/service.ts";
import { forgetChange, memoriesNamed } from "../../memory/gate/person.ts";
import { newRunId } from "../../system/ids.ts";
import type { PersonDeps } from "./remember.ts";
import { setOf } from "./remember.ts";

/** Better refused than half done: what is purged must be gone from every place. */
function purgeUnknown(): AppError {
  return new AppError({
    code: "not-supported",
    message: "this version cannot purge a memory from its history",
    fix: "forget it without --purge",
    exitCode: EXIT.usage,
  });
}

export async function answerForget(request: ForgetRequest, deps: PersonDeps): Promise<ForgetReply> {
  if (request.purge === true) throw purgeUnknown();
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
  const run = newRunId(deps.clock.now());
  const set = setOf([forgetChange(memory)], { run, kind: "forget", project, memoryDir });
  const result = await deps.commit(set, { evidenceTexts: new Map() });
  const [verdict] = result.verdicts;
  if (verdict !== undefined && !verdict.accepted) {
    return { v: 1, outcome: "refused", file: memory.file, message: verdict.message, matches };
  }
  return { v: 1, outcome: "forgotten", file: memory.file, message: `forgot ${memory.file}`, matches };
}
