import { readFileSync } from "node:fs";
import asyncApiSpecs from "@asyncapi/specs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../../src/errors/index.ts";
import {
  COMPAT_METHODS,
  COMPAT_ROUTES,
  findMethod,
  METHODS,
  ROUTES,
  STREAM_METHODS,
} from "../../../src/requests/index.ts";
import { routeSchema } from "../../../src/requests/schemas/index.ts";
import { asyncApiDocument, type Description, openApiDocument } from "../../../src/service/index.ts";
import { writeJson } from "../../../src/wire/index.ts";

/** A document as a reader receives it. */
// biome-ignore lint/suspicious/noExplicitAny: a document of another's format, looked into by path
type Read = any;

const read = (document: Description): Read => JSON.parse(writeJson(document));

const openApi = read(openApiDocument({ version: "0.1.0", serverUrl: "https://api.example.com" }));
const asyncApi = read(asyncApiDocument({ version: "0.1.0", serverUrl: "wss://api.example.com" }));

/** The routes of both prefixes. */
const ALL = [...ROUTES, ...COMPAT_ROUTES];

type Operation = Readonly<{
  operationId: string;
  security: readonly object[];
  parameters: readonly Readonly<{ name?: string; $ref?: string; required?: boolean }>[];
  responses: Readonly<Record<string, Read>>;
  requestBody?: Read;
  "x-permission": string;
  description: string;
}>;

const operationOf = ({ method, path }: Readonly<{ method: string; path: string }>): Operation =>
  openApi.paths[path][method.toLowerCase()];

/** A route or method of docs/surface.md with its codes. */
const ROW = /^\| `([^`]+)` \|.*\| ([-0-9 ]+) \|$/gm;

/** Every place of a `$ref` in a value, with its target. */
function* refsIn(value: Read): Iterable<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === "$ref") yield String(member);
    else yield* refsIn(member);
  }
}

const resolve = (document: Read, ref: string): Read =>
  ref
    .slice(2)
    .split("/")
    .reduce((at, step) => at?.[step.replaceAll("~1", "/")], document);

describe("openApiDocument", () => {
  it("validates against the official schema of OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(openApi));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  it("every reference has a target, and every component is referenced", () => {
    const refs = new Set(refsIn(openApi));
    for (const ref of refs) expect(resolve(openApi, ref), ref).toBeDefined();
    for (const kind of ["schemas", "parameters", "headers", "examples"]) {
      for (const name of Object.keys(openApi.components[kind])) {
        expect(refs, `${kind} ${name}`).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  it("has every route with all its aliases and no other, each under its own name", () => {
    const described = Object.entries<Read>(openApi.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(ALL.map(({ method, path }) => `${method} ${path}`).sort());
    const ids = ALL.map((route) => operationOf(route).operationId);
    expect(new Set(ids).size).toBe(ALL.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  it.each(ALL.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s: signature, permission, weight and parameters are those of the route",
    (_title, route) => {
      const operation = operationOf(route);
      const schema = routeSchema(route);
      expect(operation["x-permission"]).toBe(route.access);
      expect(operation.security.length).toBe(route.scheme === "NONE" ? 0 : 2);
      for (const name of operation.security.flatMap(Object.keys)) {
        expect(Object.keys(openApi.components.securitySchemes)).toContain(name);
      }
      if (typeof route.weight === "number")
        expect(operation.description).toContain(`Weight ${route.weight}.`);
      const names = operation.parameters.map(({ name, $ref }) => name ?? $ref?.split("/").at(-1));
      const signed = route.scheme === "NONE" ? [] : ["nonce", "timestamp", "recvWindow"];
      const own = [...Object.keys(schema.properties), ...schema.unread];
      if (route.method !== "POST") {
        expect(names).toEqual([...own, ...signed]);
        const required = operation.parameters.filter((parameter) => parameter.required === true);
        const timed = route.scheme === "V2_QUERY" ? ["timestamp"] : [];
        expect(required.map(({ name }) => name).sort()).toEqual([...schema.required, ...timed].sort());
        return;
      }
      expect(names).toEqual(signed);
      const { content } = operation.requestBody;
      expect(Object.keys(content)).toEqual(["application/json", "application/x-www-form-urlencoded"]);
      const body = resolve(openApi, content["application/json"].schema.$ref);
      expect(Object.keys(body.properties)).toEqual(own);
      expect(body.required ?? []).toEqual(schema.required);
      expect(body.additionalProperties).toBe(false);
    },
  );

  it("depth, pages and the day's ticker: the documented weights are the actual ones", () => {
    const weightOf = (name: string, fields: Readonly<Record<string, string>>): unknown => {
      const route = ROUTES.find((one) => one.name === name);
      const sent = new Map(
        Object.entries(fields).map(([key, value]) => [key, { text: value, kind: "text" as const }]),
      );
      return typeof route?.weight === "function" ? route.weight(sent) : undefined;
    };
    const pages = [
      [
        "openOrders.status",
        "/api/v3/openOrders",
        "Weight 6 for each 100 orders of the limit, or part of 100.",
      ],
      ["openOrderLists.status", "/api/v3/openOrderList", "Weight 6; 12 for a limit above 500."],
      ["allOrderLists", "/api/v3/allOrderList", "Weight 20; 40 for a limit above 500."],
      ["allOrders", "/api/v2/allOrders", "Weight 20; 40 for a limit above 500."],
    ] as const;
    for (const [name, path, reported] of pages) {
      expect(openApi.paths[path].get.description).toContain(reported);
      const [first, least] = [weightOf(name, {}), weightOf(name, { limit: "100" })];
      expect([first, least]).toEqual([Number(/\d+/.exec(reported)?.[0]), first]);
    }
    const depths = ["100", "101", "501", "1001"].map((limit) => weightOf("depth", { limit }));
    expect(openApi.paths["/api/depth"].get.description).toContain(
      `Weight ${depths[0]}; ${depths[1]} for more than 100 levels, ${depths[2]} for more than 500, ${depths[3]} for more than 1000.`,
    );
    expect(openApi.paths["/api/ticker/24hr"].get.description).toContain(
      `Weight ${weightOf("ticker24hr", { symbol: "BTC/USD" })} with a symbol, else ${weightOf("ticker24hr", {})}.`,
    );
  });

  it("every error is listed under its HTTP status, and has an example of the shape of errors", () => {
    const ajv = new Ajv2020({ strict: true });
    const isError = ajv.compile(openApi.components.schemas.Error);
    const isRateError = ajv.compile(openApi.components.schemas.RateLimitError);
    for (const route of ROUTES) {
      for (const [status, response] of Object.entries(operationOf(route).responses)) {
        if (status === "200") continue;
        for (const name of Object.keys(response.content["application/json"].examples)) {
          const row = ERRORS[name as keyof typeof ERRORS];
          const { value } = openApi.components.examples[name];
          expect(row.status, name).toBe(Number(status));
          expect(value).toMatchObject({ code: row.code, msg: row.text });
          expect(status === "429" ? isRateError(value) : isError(value), name).toBe(true);
        }
      }
    }
  });

  it("64-bit ids are marked; client ids and prices are not numbers", () => {
    const { NativeOrder, PlaceOrder } = openApi.components.schemas;
    expect(NativeOrder.properties.orderId).toMatchObject({ type: "integer", format: "int64" });
    expect(NativeOrder.properties.orderId.description).toContain("never as a double");
    expect(PlaceOrder.properties.price.type).toBe("string");
    expect(PlaceOrder.properties.reduceOnly.type).toBe("boolean");
  });

  it("is the same for the same arguments, and needs no server", () => {
    const again = writeJson(openApiDocument({ version: "1.2.3" }));
    expect(writeJson(openApiDocument({ version: "1.2.3" }))).toBe(again);
    expect(JSON.parse(again)).toMatchObject({ info: { version: "1.2.3" }, servers: [{ url: "/" }] });
  });
});

describe("asyncApiDocument", () => {
  it("validates against the official schema of AsyncAPI 3.0", () => {
    const ajv = new Ajv({ meta: false, validateSchema: false, strict: false, validateFormats: false });
    const schema = structuredClone(asyncApiSpecs.schemas["3.0.0"]) as Read;
    const validate = ajv.compile(schema);
    validate(asyncApi);
    expect(validate.errors).toBeNull();
  });

  it("every reference has a target, and every message and schema is used", () => {
    const refs = new Set(refsIn(asyncApi));
    for (const ref of refs) expect(resolve(asyncApi, ref), ref).toBeDefined();
    for (const kind of ["schemas", "messages"]) {
      for (const name of Object.keys(asyncApi.components[kind])) {
        expect(refs, `${kind} ${name}`).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  it("operations name messages of their own channel only", () => {
    for (const [id, operation] of Object.entries<Read>(asyncApi.operations)) {
      const { channel, messages, reply } = operation;
      for (const { $ref } of [...messages, ...(reply?.messages ?? [])]) {
        expect($ref.startsWith(`${channel.$ref}/messages/`), `${id} ${$ref}`).toBe(true);
      }
    }
  });

  it("has the private and the public paths, and those for existing clients", () => {
    const addresses = Object.values<Read>(asyncApi.channels).map(({ address }) => address);
    expect(addresses).toEqual([
      ...["/ws/listenKey", "/ws-api/v3", "/compat/ws-api/v3", "/ws/liquidity"],
      ...["/ws/{streams}", "/compat/ws/{streams}", "/stream", "/compat/stream"],
    ]);
    for (const name of ["private", "client", "combined"]) {
      const { messages, bindings, parameters } = asyncApi.channels[name];
      expect(asyncApi.channels[`${name}Alias`]).toMatchObject({
        messages,
        bindings,
        ...(parameters && { parameters }),
      });
    }
  });

  it("has every request method under all its names, and every control frame", () => {
    const named = Object.values<Read>(asyncApi.operations)
      .filter(({ action, channel }) => action === "receive" && channel.$ref === "#/channels/private")
      .map(({ messages }) => payloadOf(messages[0].$ref).properties.method.enum);
    expect(named).toEqual(METHODS.map(({ name, aliases }) => [name, ...aliases]));
    const compat = Object.values<Read>(asyncApi.operations)
      .filter(({ action, channel }) => action === "receive" && channel.$ref === "#/channels/compat")
      .map(({ messages }) => payloadOf(messages[0].$ref).properties.method.enum);
    expect(compat).toEqual(COMPAT_METHODS.map(({ name }) => [name]));
    for (const name of ["liquidity", "client", "combined"]) {
      const control = Object.values<Read>(asyncApi.operations)
        .filter(({ action, channel }) => action === "receive" && channel.$ref === `#/channels/${name}`)
        .map(({ messages }) => payloadOf(messages[0].$ref).properties.method.const);
      expect(control, name).toEqual([...STREAM_METHODS]);
    }
  });

  it("refuses an invalid server address, and names none without one", () => {
    expect(() => asyncApiDocument({ version: "1", serverUrl: "https://a" })).toThrow(RangeError);
    expect(() => asyncApiDocument({ version: "1", serverUrl: "wss://a/path" })).toThrow(RangeError);
    expect(asyncApiDocument({ version: "1" }).servers).toBeUndefined();
    expect(asyncApi.servers).toEqual({ service: { protocol: "wss", host: "api.example.com" } });
  });
});

function payloadOf(ref: string): Read {
  return resolve(asyncApi, resolve(asyncApi, ref).$ref).payload;
}

/** Rows of docs/surface.md: the findings of real requests, with the codes of their errors. */
const SURFACE = [...readFileSync(new URL("../../../docs/surface.md", import.meta.url), "utf8").matchAll(ROW)];

describe("docs/surface.md", () => {
  it("every error observed on a route is described", () => {
    const routes = SURFACE.filter(([, name = ""]) => name.includes(" "));
    expect(routes.length).toBe(ROUTES.length);
    for (const [, name = "", codes = ""] of routes) {
      const [method = "", path = ""] = name.split(" ");
      const reported = Object.values(operationOf({ method, path }).responses).map(
        ({ description }) => description,
      );
      for (const code of codes.split(" ")) expect(reported.join(), name).toContain(`${code} `);
    }
  });

  it("every error observed on a method is described", () => {
    const methods = SURFACE.filter(([, name = ""]) => findMethod(name) !== undefined);
    expect(methods.length).toBe(METHODS.flatMap(({ aliases }) => [0, ...aliases]).length);
    for (const [, name = "", codes = ""] of methods) {
      const operation = Object.values<Read>(asyncApi.operations).find(
        ({ messages }) => payloadOf(messages[0].$ref).properties.method?.enum?.includes(name) === true,
      );
      for (const code of codes.split(" ")) expect(operation.description, name).toContain(`${code} `);
    }
  });
});
