// The OpenAPI 3.1 document of the socket, made from the tables the daemon itself works by: routes, fields, answers and
// events. Nothing is written down twice. Loaded when somebody asks for it.
import { SOCKET_LIMITS } from "../../domain/limits.ts";
import { ANSWERS, ERROR } from "./documents.ts";
import { describedEvents } from "./events.ts";
import type { AnyField } from "./fields.ts";
import type { AnySchema } from "./json-schema.ts";
import type { Page, Route } from "./routes.ts";

export interface Described {
  readonly version: string;
  readonly routes: readonly Route[];
  readonly pages: readonly Page[];
}

type Json = Readonly<Record<string, unknown>>;

export function openApiDocument({ version, routes, pages }: Described): Json {
  const parts = new Map<string, AnySchema>();
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (path: string, method: string, operation: Json) => {
    (paths[path] ??= {})[method.toLowerCase()] = operation;
  };
  for (const route of routes) add(route.path, route.method, operationOf(route, parts));
  for (const page of pages) add(page.path, page.method, pageOperation(page, parts));
  return {
    openapi: "3.1.1",
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    info: {
      title: "engramd",
      version,
      summary: "The control socket of the engramd daemon.",
      description:
        "HTTP over a Unix socket of the user; its path is in daemon.json in the state folder. " +
        "Fields beyond the described ones may be in any answer; a request may hold no others.",
    },
    servers: [{ url: "http://engramd", description: "The host name is not looked up." }],
    security: [],
    paths,
    components: { schemas: Object.fromEntries(parts) },
  };
}

function operationOf(route: Route, parts: Map<string, AnySchema>): Json {
  return {
    operationId: route.name,
    summary: route.summary,
    ...(route.method === "GET" ? { parameters: parametersOf(route.fields) } : bodyOf(route.fields)),
    responses: {
      "200": {
        description: "The answer.",
        content: { "application/json": { schema: hoisted(ANSWERS[route.name], parts) } },
      },
      default: errorResponse(parts),
    },
  };
}

function parametersOf(fields: Route["fields"]): Json[] {
  return Object.entries(fields).map(([name, { schema, sentence, required }]) => ({
    name,
    in: "query",
    required,
    description: sentence,
    schema,
  }));
}

function bodyOf(fields: Route["fields"]): Json {
  const all: [string, AnyField][] = Object.entries(fields);
  const required = all.filter(([, field]) => field.required).map(([name]) => name);
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      all.map(([name, field]) => [name, { ...field.schema, description: field.sentence }]),
    ),
    required,
    additionalProperties: false,
  };
  return {
    requestBody: {
      description: `At most ${SOCKET_LIMITS.bodyBytesMax} bytes.`,
      required: required.length > 0,
      content: { "application/json": { schema } },
    },
  };
}

function pageOperation({ name, summary, contentType }: Page, parts: Map<string, AnySchema>): Json {
  const isEvents = name === "events";
  return {
    operationId: name,
    summary,
    ...(isEvents ? { parameters: [LAST_EVENT_ID] } : {}),
    responses: {
      "200": {
        description: isEvents ? eventsDescription() : "The answer.",
        content: { [contentType]: { schema: { type: contentType === JSON_TYPE ? "object" : "string" } } },
        ...(isEvents ? { "x-events": describedEvents() } : {}),
      },
      default: errorResponse(parts),
    },
  };
}

const JSON_TYPE = "application/json";

const LAST_EVENT_ID: Json = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "The id of the last event seen: what happened since is told first, as far as it is known.",
  schema: { type: "string" },
};

function eventsDescription(): string {
  const names = describedEvents().map(({ name, sentence }) => `\`${name}\`: ${sentence}`);
  return `Events without end, with comment lines as heart-beats. ${names.join(" ")}`;
}

function errorResponse(parts: Map<string, AnySchema>): Json {
  return {
    description: "What went wrong and what to do.",
    content: { [JSON_TYPE]: { schema: hoisted(ERROR, parts) } },
  };
}

/** The schema with every named one inside it moved to the components and referred to. */
function hoisted(schema: AnySchema, parts: Map<string, AnySchema>): AnySchema {
  const { title } = schema;
  const inside = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoistedValue(value, parts)]),
  );
  if (typeof title !== "string") return inside;
  parts.set(title, inside);
  return { $ref: `#/components/schemas/${title}` };
}

function hoistedValue(value: unknown, parts: Map<string, AnySchema>): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => hoistedValue(one, parts));
  return isSchema(value) ? hoisted(value, parts) : value;
}

function isSchema(value: unknown): value is AnySchema {
  return typeof value === "object" && value !== null;
}
