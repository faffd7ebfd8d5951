import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { asyncApiDocument, type Description, openApiDocument } from "../../src/service/index.ts";
import { type WireRequest, type WireResponse, writeJson } from "../../src/wire/index.ts";
import type { ServiceWorld } from "./service-world.ts";

/** A document as its reader has it, read by path. */
// biome-ignore lint/suspicious/noExplicitAny: documents of formats that are not ours
export type Read = any;

/** The text of a document, read as any client reads it. */
export const readDescription = (description: Description): Read => JSON.parse(writeJson(description));

/** The target of a reference within a document. */
export const resolveRef = (document: Read, ref: string): Read =>
  ref
    .slice(2)
    .split("/")
    .reduce((at, step) => at?.[step.replaceAll("~1", "/")], document);

/** A channel of the WebSocket description whose operations are described. */
export type DescribedChannel = "private" | "compat" | "liquidity" | "client" | "combined";

/** The base URL of all schemas in the validator. */
const HOME = "described";

/** Schemas of objects that have more members than those described, which are the members that existing clients read. */
const OPEN = /^Compat/;

/** Schemas by name, in which no object has an undescribed member, unless its name is one of {@link OPEN}. */
const allClosed = (schemas: Read): Read =>
  Object.fromEntries(
    Object.entries<Read>(schemas).map(([name, schema]) => [name, closed(schema, !OPEN.test(name))]),
  );

/** A schema in which no object has an undescribed member if it `closes`; its references lead to {@link HOME}. */
function closed(value: Read, closes: boolean): Read {
  if (Array.isArray(value)) return value.map((item) => closed(item, closes));
  if (typeof value === "string") return value.replace(/^#\/components\//, `${HOME}#/components/`);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, closed(member, closes)]),
  );
  const opens = closes && members.type === "object" && members.additionalProperties === undefined;
  return opens ? { ...members, properties: members.properties ?? {}, additionalProperties: false } : members;
}

/** Headers of HTTP itself, and those for browsers. */
const COMMON = /^(Content-Type|Cache-Control|Vary|Access-Control-.*)$/;

/**
 * Checks a service's replies against its descriptions, with every object closed: a member that is missing, of another
 * kind or not described is a finding. Remembers the members that occurred.
 */
export class DescribedService {
  readonly openApi: Read = readDescription(openApiDocument({ version: "0.1.0" }));
  readonly asyncApi: Read = readDescription(asyncApiDocument({ version: "0.1.0" }));
  readonly findings: string[] = [];
  /** Members that occurred, as Schema.member. */
  readonly seen: Set<string> = new Set();
  readonly #validators: Map<string, ValidateFunction> = new Map();
  readonly #schemas: Read = { ...this.openApi.components.schemas, ...this.asyncApi.components.schemas };
  readonly #ajv: Ajv2020 = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });

  constructor() {
    this.#ajv
      .addFormat("int64", true)
      .addFormat("uri", (text) => URL.canParse(text))
      .addKeyword("components");
    this.#ajv.addSchema({ $id: HOME, components: { schemas: allClosed(this.#schemas) } });
  }

  /** A world whose answers are all checked. */
  watch<W extends ServiceWorld>(world: W): W {
    const { service } = world;
    const handle = async (request: WireRequest): Promise<WireResponse> => {
      const response = await service.handle(request);
      this.reply(request, response);
      return response;
    };
    return { ...world, service: { handle, sockets: service.sockets } };
  }

  /** Checks one answer of REST. */
  reply({ method, target }: WireRequest, { status, headers, body }: WireResponse): void {
    const path = target.split("?")[0] ?? "";
    const operation = this.openApi.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return;
    const about = `${method} ${path} ${status}`;
    const described = operation.responses[String(status)];
    if (described === undefined) return this.#found(`${about}: this status`, body);
    for (const name of Object.keys(headers)) {
      if (!COMMON.test(name) && described.headers[name] === undefined)
        this.#found(`${about}: header ${name}`, body);
    }
    const { schema, examples } = described.content["application/json"];
    const value = JSON.parse(body);
    this.#check(about, schema, value);
    if (status === 200) return;
    const codes = Object.keys(examples).map((name) => this.openApi.components.examples[name].value.code);
    if (!codes.includes(value.code)) this.#found(`${about}: code ${value.code}`, body);
  }

  /** Checks one message of a connection; `requested` is the operation that it answers. */
  message(channel: DescribedChannel, value: Read, requested?: string): void {
    const { operations, components } = this.asyncApi;
    const operation = operations[requested ?? `${channel === "liquidity" ? "market" : channel}Events`];
    const refs: Read[] = requested === undefined ? operation.messages : operation.reply.messages;
    const names = refs.map(({ $ref }) => $ref.split("/").at(-1));
    const fitting = names.filter((name) => this.#fits(components.messages[name].payload, value));
    if (fitting.length !== 1)
      this.#found(
        `${channel} ${requested ?? "event"} fits ${fitting.join() || "nothing"}`,
        JSON.stringify(value),
      );
    for (const name of fitting) this.#record(name, components.messages[name].payload, value);
  }

  /** Described members of REST replies that never occurred; without those of the compat prefix. */
  unseenReplies(): readonly string[] {
    const isRequest = (name: string): boolean => /^(Place[A-Z]|Read|Compat)/.test(name);
    const schemas = Object.entries<Read>(this.openApi.components.schemas);
    return this.#unseen(schemas.filter(([name]) => !isRequest(name)));
  }

  /** Described members of messages that never occurred; without those of REST replies. */
  unseenMessages(): readonly string[] {
    const { schemas, messages } = this.asyncApi.components;
    const own = Object.entries<Read>(schemas).filter(
      ([name]) => this.openApi.components.schemas[name] === undefined,
    );
    const sent = Object.entries<Read>(messages).filter(([name]) => !name.endsWith("Request"));
    return this.#unseen([...own, ...sent.map(([name, { payload }]) => [name, payload] as const)]);
  }

  #unseen(schemas: readonly (readonly [string, Read])[]): readonly string[] {
    const expected = new Set<string>();
    const visit = (name: string, schema: Read): void => {
      if (schema.items !== undefined) visit(name, schema.items);
      for (const [member, inner] of Object.entries<Read>(schema.properties ?? {})) {
        expected.add(`${name}.${member}`);
        visit(`${name}.${member}`, inner);
      }
    };
    for (const [name, schema] of schemas) visit(name, schema);
    return [...expected].filter((member) => !this.seen.has(member)).sort();
  }

  #check(about: string, schema: Read, value: Read): void {
    const validate = this.#validatorOf(schema);
    if (validate(value)) return this.#record(about, schema, value);
    const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `${instancePath} ${message} ${JSON.stringify(params)}`;
    });
    this.#found(`${about}: ${problems.join("; ")}`, JSON.stringify(value));
  }

  #fits(schema: Read, value: Read): boolean {
    return this.#validatorOf(schema)(value);
  }

  #validatorOf(schema: Read): ValidateFunction {
    const key = JSON.stringify(schema);
    const known = this.#validators.get(key);
    if (known !== undefined) return known;
    const made = this.#ajv.compile(closed(schema, true));
    this.#validators.set(key, made);
    return made;
  }

  #found(what: string, body: string): void {
    this.findings.push(`${what} in ${body.slice(0, 400)}`);
  }

  #record(name: string, schema: Read, value: Read): void {
    if (schema.$ref !== undefined) {
      const target = schema.$ref.split("/").at(-1);
      return this.#record(target, this.#schemas[target], value);
    }
    if (schema.oneOf !== undefined) {
      const fitting = schema.oneOf.find((one: Read) => this.#fits(one, value));
      return this.#record(name, fitting, value);
    }
    if (Array.isArray(value)) {
      for (const item of value) this.#record(name, schema.items ?? {}, item);
      return;
    }
    for (const [member, inner] of Object.entries<Read>(schema.properties ?? {})) {
      if (value?.[member] === undefined) continue;
      this.seen.add(`${name}.${member}`);
      this.#record(`${name}.${member}`, inner, value[member]);
    }
  }
}
