import { nameOption, type OptionCheck, optionalOption, optionsOf } from "../../common/index.ts";
import { ERRORS, type ErrorName } from "../../errors/index.ts";
import { type AnyRoute, COMPAT_ROUTES, ROUTES } from "../../requests/index.ts";
import { AUTHENTICATION_SCHEMAS, type JsonSchema, routeSchema } from "../../requests/schemas/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import {
  ABOUT_SERVICE,
  type Description,
  FRESHNESS,
  parametersSchema,
  SIGNING,
  schemasUsedIn,
  UNREAD,
} from "./components.ts";
import { errorExample, errorSchemaOf, errorsOfRoute } from "./errors.ts";
import { noteOf, ROUTE_NOTES, type RouteNote } from "./route-notes.ts";
import { capital, ref, text } from "./schema.ts";

const header = (description: string): JsonSchema => ({
  description,
  schema: { type: "integer" },
});

/** Headers of replies by name. Source: convention 5.3. */
const HEADERS: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": {
    description: "Id of this request. Quote it in questions to the operator.",
    schema: text("Letters and digits."),
  },
  "X-MBX-USED-WEIGHT": header("Request weight that your IP address has used in the current minute."),
  "X-MBX-USED-WEIGHT-1M": header("The same value as X-MBX-USED-WEIGHT."),
  "X-MBX-ORDER-COUNT-10S": header("New orders of the account in the current ten seconds."),
  "X-MBX-ORDER-COUNT-1D": header("New orders of the account on the current day."),
  "Retry-After": header("Seconds to wait before a retry."),
};

const EVERY = ["X-Request-Id", "X-MBX-USED-WEIGHT", "X-MBX-USED-WEIGHT-1M"];
const COUNTED = [...EVERY, "X-MBX-ORDER-COUNT-10S", "X-MBX-ORDER-COUNT-1D"];
const LIMITED = [...EVERY, "Retry-After"];

/** Returns references to the headers of a reply. */
const headerRefs = (names: readonly string[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Deployment details for the description of REST. */
export interface OpenApiOptions {
  /** Version of the interface, such as 0.1.0. */
  readonly version: string;
  /**
   * Base address without a path, such as `https://api.example.com`. Default: the address from which the description was
   * read.
   */
  readonly serverUrl?: string;
}

const documentOption: OptionCheck = optionsOf<OpenApiOptions>({
  version: nameOption,
  serverUrl: optionalOption(nameOption),
});

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Freshness parameters, which signature checks read. */
const FRESH = ["nonce", "timestamp", "recvWindow"] as const;

/**
 * Returns the OpenAPI 3.1 document of every route, aliases included: parameters as their readers accept them, replies,
 * errors and limits. Throws a TypeError that names an option that is missing, unknown or wrong. Source: contract,
 * Endpoints.
 *
 * @example
 * ```ts
 * import { openApiDocument } from "managed-orders/service";
 * const { openapi, paths } = openApiDocument({ version: "0.1.0", serverUrl: "https://api.example.com" });
 * console.log(openapi, Object.keys(paths ?? {}).includes("/api/order")); // 3.1.1 true
 * ```
 */
export function openApiDocument(options: OpenApiOptions): Description {
  documentOption(options, "openApiDocument");
  const { version, serverUrl = "/" } = options;
  const paths = pathsOf([...ROUTES, ...COMPAT_ROUTES]);
  return {
    openapi: "3.1.1",
    info: { title: "Managed orders", version, description: `${ABOUT_SERVICE}\n\n${SIGNING}` },
    servers: [{ url: serverUrl }],
    tags: [...new Set(Object.values(ROUTE_NOTES).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...requestBodies(), ...schemasUsedIn(paths) },
      parameters: Object.fromEntries(
        FRESH.map((name) => [name, parameter(name, AUTHENTICATION_SCHEMAS[name])]),
      ),
      headers: HEADERS,
      examples: Object.fromEntries(errorNames().map((name) => [name, errorExample(name)])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY_SCHEMES: JsonSchema = {
  Key: { type: "apiKey", in: "header", name: "X-MBX-APIKEY", description: "Your API key." },
  SignatureHeader: { type: "apiKey", in: "header", name: "signature", description: SIGNING },
  SignatureParameter: {
    type: "apiKey",
    in: "query",
    name: "signature",
    description: "The signature as the last pair of the query or of a form body.",
  },
};

/** The two ways to send the signature. */
const SECURITY = [
  { Key: [], SignatureHeader: [] },
  { Key: [], SignatureParameter: [] },
];

function pathsOf(routes: readonly AnyRoute[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method.toLowerCase()] = operationOf(route);
    paths[route.path] = item;
  }
  return paths;
}

/** Returns the operation id, such as getV2Order for GET /api/v2/order. Each alias has its own id. */
function operationId({ method, path }: AnyRoute): string {
  return (
    method.toLowerCase() +
    path
      .replace(/^\/api\//, "")
      .split("/")
      .map(capital)
      .join("")
  );
}

function operationOf(route: AnyRoute): JsonSchema {
  const note = noteOf(route);
  const isSigned = route.scheme !== "NONE";
  return {
    operationId: operationId(route),
    tags: [note.tag],
    summary: note.summary,
    description: aboutOf(route, note),
    parameters: parametersOf(route, note),
    ...(note.body !== undefined && { requestBody: bodyOf(note.body, note) }),
    responses: { "200": successOf(note), ...refusalsOf(errorsOfRoute(route)) },
    security: isSigned ? SECURITY : [],
    "x-permission": route.access,
  };
}

function aboutOf(route: AnyRoute, note: RouteNote): string {
  const weight = `Weight ${typeof route.weight === "number" ? route.weight : note.weight}.`;
  const access = route.access === "PUBLIC" ? "" : ` Needs ${route.access}. ${FRESHNESS[route.scheme]}`;
  return `${note.about}\n\n${weight}${access}`;
}

/** Returns the query parameters of a route. A POST sends its parameters in the body. */
function parametersOf(route: AnyRoute, { body }: RouteNote): readonly JsonSchema[] {
  const { scheme } = route;
  const { properties, required, unread } = routeSchema(route);
  const fresh = scheme === "NONE" ? [] : FRESH.map((field) => freshness(field, scheme === "V2_QUERY"));
  if (body !== undefined) return fresh;
  const own = Object.entries(properties).map(([field, schema]) =>
    parameter(field, schema, required.includes(field)),
  );
  return [...own, ...unread.map((field) => parameter(field, UNREAD)), ...fresh];
}

function freshness(name: (typeof FRESH)[number], timed: boolean): JsonSchema {
  if (name === "timestamp" && timed) return parameter(name, AUTHENTICATION_SCHEMAS[name], true);
  return { $ref: `#/components/parameters/${name}` };
}

function parameter(name: string, schema: JsonSchema, required: boolean = false): JsonSchema {
  const { description, examples, ...rest } = schema;
  const [example] = (examples ?? []) as readonly JsonInput[];
  return {
    name,
    in: "query",
    required,
    description,
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

function bodyOf(name: string, { example }: RouteNote): JsonSchema {
  const media = { schema: ref(name), ...(example !== undefined && { example }) };
  return {
    required: true,
    description: "The fields may also be sent in the query. Send each field in one place only.",
    content: { [JSON_TYPE]: media, [FORM_TYPE]: media },
  };
}

/** Returns the request bodies by name. */
function requestBodies(): Readonly<Record<string, JsonSchema>> {
  const bodies = new Map<string, JsonSchema>();
  for (const route of [...ROUTES, ...COMPAT_ROUTES]) {
    const { body, summary } = noteOf(route);
    if (body === undefined || bodies.has(body)) continue;
    bodies.set(body, parametersSchema(routeSchema(route), `${summary}.`));
  }
  return Object.fromEntries(bodies);
}

function successOf({ reply, counts }: RouteNote): JsonSchema {
  return {
    description: "Done.",
    headers: headerRefs(counts === true ? COUNTED : EVERY),
    content: { [JSON_TYPE]: { schema: reply } },
  };
}

/** Returns refusals by HTTP status, each error as an example under its name. */
function refusalsOf(errors: readonly ErrorName[]): Readonly<Record<string, JsonSchema>> {
  const statuses = [...new Set(errors.map((name) => ERRORS[name].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const here = errors.filter((name) => ERRORS[name].status === status);
      const isRate = status === 429;
      const examples = here.map((name) => [name, { $ref: `#/components/examples/${name}` }]);
      const content = {
        schema: errorSchemaOf(here),
        examples: Object.fromEntries(examples),
      };
      return [
        String(status),
        {
          description: here.map((name) => `${ERRORS[name].code} ${name}`).join(", "),
          headers: headerRefs(isRate ? LIMITED : EVERY),
          content: { [JSON_TYPE]: content },
        },
      ];
    }),
  );
}

/** Returns the errors that any route can answer with, in the order of the error table. */
function errorNames(): readonly ErrorName[] {
  const told = new Set([...ROUTES, ...COMPAT_ROUTES].flatMap(errorsOfRoute));
  return (Object.keys(ERRORS) as ErrorName[]).filter((name) => told.has(name));
}
