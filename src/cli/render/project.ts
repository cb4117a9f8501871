// What `project list` and `project move` say.
import type { MoveReply, ProjectList } from "../../domain/projects.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Line, Page } from "./line.ts";
import { line, span, wrap } from "./line.ts";
import { countText } from "./numbers.ts";
import { table } from "./table.ts";

export function projectLines({ projects }: ProjectList, page: Page): Line[] {
  if (projects.length === 0) return [line("engramd knows no project yet")];
  const better = projects.filter((project) => project.better !== null);
  return [
    ...table({
      width: page.width,
      columns: [
        { title: "project", flexible: true },
        { title: "memories", align: "right" },
        { title: "mode", leaves: 1 },
        { title: "learnt from", flexible: true, leaves: 2 },
        { title: "memory folder", flexible: true, leaves: 3 },
      ],
      rows: projects.map(({ root, memories, mode, agents, memoryDir }) => [
        root,
        countText(memories),
        mode,
        agents.join(", "),
        span(memoryDir, "faint"),
      ]),
    }),
    ...better.flatMap(({ root, better: to }) => [
      ...wrap(`! the agent of ${root} would read ${to ?? ""}`, { ...page, tone: "warn", indent: 2 }),
      ...wrap(`fix: engramd project move --project ${shellWord(root)}`, {
        ...page,
        firstIndent: 2,
        indent: 4,
      }),
    ]),
  ];
}

export function planLines({ root, from, to, message }: MoveReply, page: Page): Line[] {
  return [
    ...wrap(`the memory of ${root}`, page),
    ...wrap(`from ${from ?? ""}`, { ...page, firstIndent: 2, indent: 4 }),
    ...wrap(`to   ${to ?? ""}`, { ...page, firstIndent: 2, indent: 4 }),
    ...wrap(message, { ...page, firstIndent: 2, indent: 4 }),
    ...wrap("the old folder is kept under another name; back again: engramd project move --back", page),
  ];
}

export function moveLines({ outcome, message, kept, conflicts }: MoveReply, page: Page): Line[] {
  const tone = outcome === "moved" ? "good" : outcome === "refused" ? "bad" : "plain";
  return [
    ...wrap(message, { ...page, tone, indent: 2 }),
    ...(kept === null ? [] : wrap(`the old folder: ${kept}`, { ...page, firstIndent: 2, indent: 4 })),
    ...conflicts.flatMap(({ from, to }) =>
      wrap(`differs: ${from} and ${to}`, { ...page, firstIndent: 2, indent: 4 }),
    ),
  ];
}
