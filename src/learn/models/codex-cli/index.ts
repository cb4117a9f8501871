// The person's own login of Codex as a model: one run of its program for one request, without tools, settings or
// instructions of theirs. Never sends a key of ours, never reads their login, never keeps a session.
import { join } from "node:path";
import type { CliProgram } from "../cli/client.ts";
import { pointTo } from "../../../system/symbolic-link.ts";
import { readAnswer, usesTools } from "./answer.ts";
import { argumentsFor, environmentFor, inputFor, modelEntry, strictSchema } from "./invocation.ts";
import { findCodex, loginFile } from "./program.ts";

export const CODEX_CLI: CliProgram = {
  provider: "codex-cli",
  name: "codex",
  find: findCodex,
  call(request, { folder, temporary }, { files, env, home, baseUrl }) {
    const input = inputFor(request);
    // A home of ours: the person's own instructions, skills and servers are not in it. It stays, as the program puts an
    // id of this installation there.
    const own = join(folder, "home");
    files.ensureFolder(own);
    pointTo(join(own, "auth.json"), loginFile({ env, home }));
    const [schema, models] = [join(temporary, "schema.json"), join(temporary, "models.json")];
    files.replace(schema, JSON.stringify(strictSchema(request)));
    // The system text stands in here: words of a call can be listed by others.
    files.replace(models, JSON.stringify({ models: [modelEntry(request)] }));
    return {
      args: argumentsFor(request, { schema, models, temporary, baseUrl }),
      env: environmentFor({ env, own, temporary }),
      input,
      isEnough: usesTools,
    };
  },
  read: readAnswer,
};
