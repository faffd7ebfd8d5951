import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createMemoryAccounts } from "../../../../src/adapters/memory/index.ts";
import { openApiDocument } from "../../../../src/service/index.ts";
import { type RequestParameters, signQuery } from "../../../../src/signing/index.ts";
import type { PaperVenue } from "../../../../src/simulator/index.ts";
import {
  type JsonObject,
  readJson,
  type WireRequest,
  type WireResponse,
} from "../../../../src/wire/index.ts";
import { quoteOf } from "../../../sandbox/venue-world.ts";
import { readDescription, resolveRef } from "../../../support/described.ts";
import { type NativeChange, openPaperNative } from "../../../support/native-world.ts";
import {
  type Credentials,
  openWorld,
  requestOf,
  type ServiceWorld,
  type WorldOptions,
} from "../../../support/service-world.ts";

export const KEY = { apiKey: "sandbox-key", secret: "sandbox-secret" };

/** A service as the sandbox has it, with BTC/USD at 60,000 to 60,001. */
export type CompatWorld = ServiceWorld & Readonly<{ paper: PaperVenue; quote: () => void }>;

export async function openCompatWorld(
  options: WorldOptions = {},
  change: NativeChange = () => ({}),
): Promise<CompatWorld> {
  const opened: PaperVenue[] = [];
  const account = { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false };
  const rights = { userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] } as const;
  const reader = { ...rights, permissions: ["READ"], apiKey: "reader", secret: "reader-secret" } as const;
  const world = await openWorld({
    ...options,
    service: {
      accounts: createMemoryAccounts([{ account, keys: [{ ...rights, ...KEY }, reader] }]),
      balances: { balances: (accountId) => opened[0]?.funds(accountId) ?? [] },
      ...options.service,
    },
    native: async (clock) => {
      const paper = await openPaperNative(clock);
      opened.push(paper);
      const { native } = paper;
      return {
        isPaperTrade: true,
        place: (placement) => native.place(placement),
        findRequest: (request) => native.findRequest(request),
        cancel: (key) => native.cancel(key),
        find: (key) => native.find(key),
        page: (page) => native.page(page),
        open: (query) => native.open?.(query) ?? [],
        executions: (query) => native.executions(query),
        subscribe: (listener) => native.subscribe(listener),
        ...change(native),
      };
    },
  });
  const paper = opened[0] as PaperVenue;
  const quote = (): void => {
    paper.quote(quoteOf({ symbol: "BTC/USD", bids: ["60000"], asks: ["60001"] }));
    world.engine.market.quote({ symbol: "BTC/USD", bid: "60000", ask: "60001" });
  };
  quote();
  return { ...world, paper, quote };
}

/** A parsed answer, of one object or of several. */
export type Requested = Readonly<{ status: number; body: JsonObject & readonly JsonObject[] }>;

/** Sends a request whose signature is the last pair of its query, as clients of the convention do. */
export async function ask(
  world: CompatWorld,
  route: string,
  fields: RequestParameters = {},
  key: Credentials | undefined = KEY,
): Promise<Requested> {
  const [method = "", path = ""] = route.split(" ");
  const parameters = {
    ...fields,
    recvWindow: 5_000 - Number(world.nonce().slice(1)),
    timestamp: world.clock.nowMs(),
  };
  const target = `/compat/api/v3/${path}?${signQuery({ secret: key.secret, parameters })}`;
  const request = { ...requestOf(method, target), rawHeaders: ["X-MBX-APIKEY", key.apiKey] };
  const { status, body } = await world.service.handle(request);
  return { status, body: readJson(body) as Requested["body"] };
}

/** A request that a client sent, as it came over the wire. */
export type Recorded = Readonly<{
  method: string;
  target: string;
  type?: string;
  key?: true;
  body?: string;
}>;

const RECORDED = new URL("../../../existing-clients/requests.jsonl", import.meta.url);

/** The requests of all clients, in the order in which they were sent. */
export const recordedRequests = (): readonly Recorded[] =>
  readFileSync(RECORDED, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

export function wireOf({ method, target, type, key, body = "" }: Recorded): WireRequest {
  return {
    method,
    target,
    rawHeaders: [
      ...(key === true ? ["X-MBX-APIKEY", KEY.apiKey] : []),
      ...(type === undefined ? [] : ["Content-Type", type]),
    ],
    body: new TextEncoder().encode(body),
    remoteAddress: "127.0.0.1",
  };
}

/** Returns what is wrong with an answer by the description of its route; members that are not described are allowed. */
export function createAnswerCheck(): (request: WireRequest, response: WireResponse) => string | undefined {
  const openApi = readDescription(openApiDocument({ version: "0.1.0" }));
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat("int64", true).addFormat("uri", true);
  ajv.addSchema({ ...openApi, $id: "openapi" });
  return ({ method, target }, { status, body }) => {
    const path = target.split("?")[0] ?? "";
    if (status !== 200) return `${status} ${body}`;
    const pointer = `openapi#/paths/${path.replaceAll("/", "~1")}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
    const validate = ajv.getSchema(pointer);
    if (validate === undefined) return `${method} ${path} is not described`;
    return validate(JSON.parse(body)) === true ? undefined : `${ajv.errorsText(validate.errors)} ${body}`;
  };
}

/** Returns what is wrong with a request by the description of its route. */
export function createRequestCheck(): (recorded: Recorded) => string | undefined {
  const openApi = readDescription(openApiDocument({ version: "0.1.0" }));
  const ajv = new Ajv2020({ strict: false, coerceTypes: true });
  ajv.addFormat("int64", true).addFormat("uri", true);
  ajv.addSchema({ ...openApi, $id: "openapi" });
  return ({ method, target, body = "" }) => {
    const [path = "", query = ""] = target.split("?");
    const { parameters, requestBody } = openApi.paths[path][method.toLowerCase()];
    const sent = new Map([...new URLSearchParams(query), ...new URLSearchParams(body)]);
    sent.delete("signature");
    for (const parameter of parameters) {
      const { name, required } =
        parameter.$ref === undefined ? parameter : resolveRef(openApi, parameter.$ref);
      if (!sent.delete(name) && required === true) return `${name} is missing`;
    }
    if (requestBody === undefined)
      return sent.size === 0 ? undefined : `${[...sent.keys()]} is not described`;
    const { $ref } = requestBody.content["application/json"].schema;
    const validate = ajv.getSchema(`openapi${$ref}`);
    return validate?.(Object.fromEntries(sent)) === true ? undefined : ajv.errorsText(validate?.errors);
  };
}
