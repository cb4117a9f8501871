// The schemas of projects: the list, and moving one. Describes only.
import type { MoveReply, ProjectItem, ProjectList } from "../../domain/projects.ts";
import { AGENTS } from "../../domain/sessions.ts";
import * as is from "./json-schema.ts";

type Item<T> = T extends readonly (infer I)[] ? I : never;

const version1 = is.oneOf(1);

export const agent = is.oneOf(...AGENTS);

export const projectList = is.named(
  "ProjectList",
  is.object<ProjectList>({
    v: version1,
    projects: is.listOf(
      is.object<ProjectItem>({
        key: is.text,
        root: is.text,
        memoryDir: is.text,
        mode: is.oneOf("auto", "propose", "read-only", "off"),
        memories: is.count,
        agents: is.listOf(agent),
        better: is.orNull(is.text),
        movedFrom: is.orNull(is.text),
      }),
    ),
  }),
);

export const moveReply = is.named(
  "MoveReply",
  is.object<MoveReply>({
    v: version1,
    outcome: is.oneOf("moved", "planned", "nothing", "refused"),
    root: is.text,
    from: is.orNull(is.text),
    to: is.orNull(is.text),
    files: is.count,
    kept: is.orNull(is.text),
    conflicts: is.listOf(is.object<Item<MoveReply["conflicts"]>>({ from: is.text, to: is.text })),
    message: is.text,
  }),
);
