// The description of the socket is right, whole, and what the daemon itself judges by.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { AppError } from "../../../src/domain/errors.ts";
import { openApiDocument } from "../../../src/serve/control/openapi.ts";
import type { Given } from "../../../src/serve/control/input.ts";
import { PAGES, ROUTES } from "../../../src/serve/control/routes.ts";
import { createFakeService } from "./fake-service.ts";
import { checkerOf } from "../../schemas/documents.ts";

/** The parts of OpenAPI 3.1 that we use, and no others. */
const JSON_SCHEMA = z.lazy(() => SCHEMA);
const SCHEMA: z.ZodType = z.strictObject({
  $ref: z.string().startsWith("#/components/schemas/").optional(),
  type: z.enum(["string", "number", "integer", "boolean", "object", "array", "null"]).optional(),
  const: z.unknown().optional(),
  enum: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .optional(),
  anyOf: z.array(JSON_SCHEMA).min(1).optional(),
  items: JSON_SCHEMA.optional(),
  properties: z.record(z.string(), JSON_SCHEMA).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.union([z.boolean(), JSON_SCHEMA]).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z
    .string()
    .refine((text) => new RegExp(text, "u"))
    .optional(),
  format: z.enum(["date-time"]).optional(),
  title: z.string().optional(),
  description: z.string().optional(),
});
const CONTENT = z.record(z.string().includes("/"), z.strictObject({ schema: SCHEMA }));
const RESPONSE = z.strictObject({
  description: z.string().min(1),
  content: CONTENT,
  "x-events": z.array(z.strictObject({ name: z.string(), sentence: z.string(), schema: SCHEMA })).optional(),
});
const OPERATION = z.strictObject({
  operationId: z.string().min(1),
  summary: z.string().endsWith("."),
  parameters: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        in: z.enum(["query", "header"]),
        required: z.boolean(),
        description: z.string().min(1),
        schema: SCHEMA,
      }),
    )
    .optional(),
  requestBody: z
    .strictObject({ description: z.string(), required: z.boolean(), content: CONTENT })
    .optional(),
  responses: z.record(z.string().regex(/^(?:[1-5]\d\d|default)$/), RESPONSE),
});
const OPENAPI = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d$/),
  jsonSchemaDialect: z.url(),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    summary: z.string(),
    description: z.string(),
  }),
  servers: z.array(z.strictObject({ url: z.url(), description: z.string() })),
  security: z.array(z.unknown()),
  paths: z.record(
    z.string().startsWith("/"),
    z.strictObject({ get: OPERATION.optional(), post: OPERATION.optional() }),
  ),
  components: z.strictObject({ schemas: z.record(z.string().regex(/^[\w.-]+$/), SCHEMA) }),
});

/** As a client gets it: as text. */
const text = JSON.stringify(openApiDocument({ version: "0.1.0", routes: ROUTES, pages: PAGES }));
const document = OPENAPI.parse(JSON.parse(text));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    operation === undefined ? [] : [{ path, method, operation }],
  ),
);

describe("the description of the socket", () => {
  it("holds every route and page once, and nothing else", () => {
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    const there = [...ROUTES, ...PAGES].map(({ path, method }) => `${method} ${path}`);

    expect(described.toSorted()).toEqual(there.toSorted());
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("refers only to what it holds, and holds nothing nobody refers to", () => {
    const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);

    expect(new Set(referred)).toEqual(new Set(Object.keys(document.components.schemas)));
  });

  it("says for every route what it answers, and how it fails", () => {
    for (const { path, operation } of operations) {
      expect(Object.keys(operation.responses).toSorted(), path).toEqual(["200", "default"]);
      expect(JSON.stringify(operation.responses["default"]), path).toContain("#/components/schemas/Error");
    }
  });

  it("names every event of the stream", () => {
    const events = document.paths["/v1/events"]?.get?.responses["200"]?.["x-events"] ?? [];

    expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(["state", "run-ended"]));
    expect(new Set(events.map(({ name }) => name)).size).toBe(events.length);
  });
});

/** Values somebody might send in any field. */
const CANDIDATES: readonly unknown[] = [
  "",
  " ",
  "x",
  "/p",
  "/p\0",
  "p",
  "true",
  "all",
  "user",
  "7",
  "\u{1f600}".repeat(600),
  "x".repeat(30_000),
  true,
  false,
  0,
  1,
  -1,
  1.5,
  60_000,
  36_500,
  36_501,
  1e300,
  Number.MAX_SAFE_INTEGER + 1,
  null,
  [],
  ["x"],
  {},
  { x: 1 },
];

describe("a request is judged by the schema it is described with", () => {
  const posts = ROUTES.filter(({ method }) => method === "POST");

  it.each(posts.map((route) => [route.path, route] as const))("POST %s", async (path, route) => {
    const schema = document.paths[path]?.post?.requestBody?.content["application/json"]?.schema;
    const checker = checkerOf(schema as Given);
    const one = (field: string) => {
      const described = route.fields[field]?.schema ?? {};
      const words = Array.isArray(described["enum"]) ? described["enum"] : [];
      return [...CANDIDATES, ...words].find((value) => checkerOf(described).safeParse(value).success);
    };
    const required = Object.keys(route.fields).filter((field) => route.fields[field]?.required);
    const least = Object.fromEntries(required.map((field) => [field, one(field)]));
    const service = createFakeService();
    const refuses = (body: Given) =>
      route.answer(service, body).then(
        () => false,
        (error: unknown) => error instanceof AppError && error.code === "bad-request",
      );
    const bodies = [
      least,
      { ...least, unknown: 1 },
      ...required.map((field) => ({ ...least, [field]: undefined })),
      ...Object.keys(route.fields).flatMap((field) =>
        CANDIDATES.map((value) => ({ ...least, [field]: value })),
      ),
    ].map((body): Given => JSON.parse(JSON.stringify(body)));

    for (const body of bodies) {
      const shown = JSON.stringify(body).slice(0, 200);
      expect(await refuses(body), shown).toBe(!checker.safeParse(body).success);
    }
    expect(await refuses(least)).toBe(false);
  });
});
