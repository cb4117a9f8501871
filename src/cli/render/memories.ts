// Memories for a person: the list of a project, and one memory with its text.
import { displayLines } from "../../domain/printable.ts";
import type { MemoryItem, MemoryList } from "../../domain/service.ts";
import type { Line, Page } from "./line.ts";
import { EMPTY_LINE, line, span, wrap } from "./line.ts";
import { counted } from "./numbers.ts";
import { table } from "./table.ts";
import { ageText } from "./time.ts";

/** `elsewhere` says where there are some, should there be none here. */
export function memoryListLines(
  { memories, notMemories }: MemoryList,
  page: Page,
  elsewhere?: string,
): Line[] {
  const other = elsewhere === undefined ? [] : wrap(elsewhere, page);
  if (memories.length === 0 && notMemories.length === 0)
    return [...wrap("no memories here yet", page), ...other];
  return [...new Set(memories.map(({ project }) => project))]
    .flatMap((project) => projectLines(memories, { project, page }))
    .concat(oddFileLines(notMemories, page));
}

/** What a search found, best first; `elsewhere` says where to search, should there be nothing here. */
export function foundLines({ memories, more = 0 }: MemoryList, page: Page, elsewhere?: string): Line[] {
  const other = elsewhere === undefined ? [] : wrap(elsewhere, page);
  if (memories.length === 0) return [...wrap("no memory has any of these words", page), ...other];
  const projects = new Set(memories.map(({ project }) => project));
  const shown = table({
    width: page.width,
    columns: [
      { title: "score", align: "right" },
      { title: "name", flexible: true },
      { title: "found in", leaves: 2 },
      { title: "type", leaves: 1 },
      { title: "age", align: "right", leaves: 3 },
      { title: "description", flexible: true, leaves: 4 },
      ...(projects.size > 1 ? [{ title: "project", flexible: true, leaves: 0 }] : []),
    ],
    rows: memories.map((memory) => [
      (memory.score ?? 0).toFixed(2),
      span(memory.name, "strong"),
      (memory.matches ?? []).join(", "),
      span(memory.type ?? "unknown", "faint"),
      ageText(memory.ageDays),
      memory.description ?? "",
      ...(projects.size > 1 ? [span(memory.project, "faint")] : []),
    ]),
  });
  return more === 0 ? shown : [...shown, ...wrap(`and ${counted(more, "other")} that fit less well`, page)];
}

function projectLines(
  memories: readonly MemoryItem[],
  { project, page }: { readonly project: string; readonly page: Page },
): Line[] {
  const own = memories.filter((memory) => memory.project === project);
  const title = `${project} (${counted(own.length, "memory")})`;
  return [
    ...wrap(title, { width: page.width, tone: "strong" }),
    ...table({
      width: page.width,
      columns: [
        { title: "name", flexible: true },
        { title: "type", leaves: 3 },
        { title: "age", align: "right", leaves: 4 },
        { title: "links", align: "right", leaves: 1 },
        { title: "evidence", align: "right", leaves: 0 },
        { title: "description", flexible: true, leaves: 2 },
      ],
      rows: own.map((memory) => [
        memory.name,
        span(memory.type ?? "unknown", "faint"),
        ageText(memory.ageDays),
        String(memory.links.length),
        String(memory.evidence.length),
        memory.description ?? "",
      ]),
    }),
    EMPTY_LINE,
  ];
}

function oddFileLines(odd: MemoryList["notMemories"], page: Page): Line[] {
  if (odd.length === 0) return [];
  return [
    ...wrap(`${counted(odd.length, "file")} in memory folders that are no memories`, {
      ...page,
      tone: "warn",
    }),
    ...table({
      width: page.width,
      columns: [
        { title: "file", flexible: true },
        { title: "why", flexible: true },
      ],
      rows: odd.map(({ file, why }) => [file, why]),
    }),
  ];
}

/** One memory; its text keeps its lines, broken only where the page ends. */
export function memoryLines(memory: MemoryItem, page: Page): Line[] {
  const facts = [
    ["type", memory.type ?? "unknown"],
    ["file", memory.file],
    ["project", memory.project],
    ["confirmed", `${memory.confirmed ?? "unknown"} (${ageText(memory.ageDays)})`],
    ["links", memory.links.join(", ")],
    ["evidence", memory.evidence.join(", ")],
  ] as const;
  return [
    ...wrap(memory.name, { width: page.width, tone: "strong" }),
    ...wrap(memory.description ?? "", page),
    ...facts
      .filter(([, value]) => value !== "")
      .flatMap(([name, value]) => wrap(`${name}: ${value}`, { width: page.width, tone: "faint", indent: 2 })),
    EMPTY_LINE,
    ...displayLines(memory.body ?? "").flatMap((text) => bodyLines(text, page)),
  ];
}

function bodyLines(text: string, page: Page): Line[] {
  return text.length <= page.width ? [line(text)] : wrap(text, page);
}
