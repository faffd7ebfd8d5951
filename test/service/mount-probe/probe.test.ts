import { describe, expect, it } from "vitest";
import {
  createMountProbe,
  MAX_BODY_BYTES,
  MOUNT_FAULTS,
  type MountFault,
  type ProbeAnswer,
  type ProbeRequest,
  type Service,
} from "../../../src/service/index.ts";
import { FAULT_HEADER } from "../../../src/service/internal.ts";
import type { WireRequest, WireResponse } from "../../../src/wire/index.ts";

type HandedRequest = Readonly<Partial<Record<keyof WireRequest, unknown>>>;

/** How a mount fails: by the requests it hands over, by its answers, or by handing over nothing. */
type PlantedFault = Readonly<{
  request?: (request: WireRequest) => HandedRequest;
  reply?: (reply: WireResponse) => Partial<WireResponse>;
  carry?: (request: WireRequest, service: Pick<Service, "handle">) => Promise<WireResponse | undefined>;
}>;

const text = (body: Uint8Array): string => Buffer.from(body).toString();
const bytes = (body: string): Uint8Array => new TextEncoder().encode(body);

const queryOf =
  (change: (query: string) => string) =>
  (request: WireRequest): HandedRequest => {
    const mark = request.target.indexOf("?") + 1;
    return mark === 0 ? {} : { target: request.target.slice(0, mark) + change(request.target.slice(mark)) };
  };

const bodyOf =
  (change: (body: Uint8Array) => unknown) =>
  (request: WireRequest): HandedRequest =>
    request.body.length === 0 ? {} : { body: change(request.body) };

const withJson = (change: (value: unknown) => unknown) =>
  bodyOf((body) => {
    try {
      return change(JSON.parse(text(body)));
    } catch {
      return body;
    }
  });

const joined = ({ rawHeaders }: WireRequest): HandedRequest => {
  const values = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    values.set(
      name,
      values.has(name) ? `${values.get(name)}, ${rawHeaders[at + 1]}` : `${rawHeaders[at + 1]}`,
    );
  }
  return { rawHeaders: [...values].flat() };
};

const without =
  (name: string) =>
  (request: WireRequest): HandedRequest => ({
    rawHeaders: request.rawHeaders.filter(
      (_, at) => request.rawHeaders[at - (at % 2)]?.toLowerCase() !== name,
    ),
  });

const headerOf = ({ rawHeaders }: WireRequest, name: string): string | undefined =>
  rawHeaders.find((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);

const refused: WireResponse = { status: 500, headers: { [FAULT_HEADER]: "BODY_CONSUMED" }, body: "" };
const page: WireResponse = { status: 404, headers: {}, body: "<html>" };

/** Every fault, and mounts that have it and no other. */
const PLANTED: Readonly<Record<Exclude<MountFault, "REPLY_TAKEN">, readonly PlantedFault[]>> = {
  NOT_DELIVERED: [
    { carry: async (request, service) => (request.method === "PUT" ? page : service.handle(request)) },
    {
      carry: async (request, service) =>
        request.target === "/api/ping" ? undefined : service.handle(request),
    },
    { carry: async () => ({ ...page, headers: { [FAULT_HEADER]: "NOT_DELIVERED" } }) },
    {
      carry: async (request, service) =>
        request.method === "PUT"
          ? { ...page, headers: { [FAULT_HEADER]: "SOMETHING" } }
          : service.handle(request),
    },
  ],
  DELIVERED_TWICE: [
    { carry: (request, service) => service.handle(request).then(() => service.handle(request)) },
  ],
  METHOD_CHANGED: [
    {
      request: (request) => ({
        method: headerOf(request, "x-http-method-override")?.startsWith("D") ? "DELETE" : request.method,
      }),
    },
    { request: ({ method }) => ({ method: method === "HEAD" ? "GET" : method }) },
  ],
  PATH_CHANGED: [
    { request: ({ target }) => ({ target: target.replace("/api", "") }) },
    { request: ({ target }) => ({ target: `http://a${target}` }) },
    { request: ({ target }) => ({ target: target.replace("/%6Frder/../", "/") }) },
    { request: () => ({ target: undefined }) },
  ],
  QUERY_DECODED: [
    { request: queryOf(decodeURIComponent) },
    { request: queryOf((query) => decodeURIComponent(query.replaceAll("+", " "))) },
  ],
  QUERY_REENCODED: [
    { request: queryOf((query) => String(new URLSearchParams(query))) },
    { request: queryOf((query) => new URL(`http://a/?${query}`).search.slice(1)) },
    { request: queryOf((query) => query.replace("%2f", "%2F")) },
    { request: queryOf((query) => query.replace("&&", "&")) },
  ],
  QUERY_CHANGED: [
    { request: queryOf((query) => query.split("&").sort().join("&")) },
    { request: queryOf((query) => `${query}&trace=1`) },
    { request: queryOf(() => "") },
  ],
  HEADERS_JOINED: [{ request: joined }],
  HEADERS_CHANGED: [
    { request: without("signature") },
    { request: ({ rawHeaders }) => ({ rawHeaders: Object.fromEntries([rawHeaders.slice(0, 2)]) }) },
    { request: ({ rawHeaders }) => ({ rawHeaders: rawHeaders.map((part) => part.replace("é", "�")) }) },
  ],
  BODY_CONSUMED: [
    { carry: async (request, service) => (request.body.length > 0 ? refused : service.handle(request)) },
  ],
  BODY_NOT_BYTES: [{ request: bodyOf(text) }, { request: withJson((value) => value) }],
  BODY_LOST: [
    { request: (request) => (request.method === "DELETE" ? { body: new Uint8Array() } : {}) },
    { request: (request) => (headerOf(request, "content-type") === undefined ? { body: bytes("") } : {}) },
  ],
  BODY_DECODED: [{ request: bodyOf((body) => bytes(text(body))) }],
  BODY_REPARSED: [
    { request: withJson((value) => bytes(JSON.stringify(value))) },
    {
      request: (request) =>
        headerOf(request, "content-type")?.endsWith("urlencoded")
          ? { body: bytes(String(new URLSearchParams(text(request.body)))) }
          : {},
    },
  ],
  BODY_INFLATED: [
    {
      request: (request) =>
        headerOf(request, "content-encoding") === "gzip" ? { body: bytes('{"a":"1"}') } : {},
    },
  ],
  BODY_TRUNCATED: [
    { request: bodyOf((body) => body.subarray(0, 16_384)) },
    { request: bodyOf((body) => body.subarray(0, MAX_BODY_BYTES)) },
    { request: ({ body }) => ({ body: body.subarray(0, -1) }) },
  ],
  BODY_LIMIT: [
    {
      carry: async (request, service) =>
        request.body.length >= MAX_BODY_BYTES ? { ...page, status: 413 } : service.handle(request),
    },
    {
      carry: async (request, service) =>
        request.body.length > MAX_BODY_BYTES ? undefined : service.handle(request),
    },
  ],
  BODY_CHANGED: [{ request: bodyOf((body) => body.map((byte) => byte ^ 1)) }],
  ADDRESS_MISSING: [
    { request: () => ({ remoteAddress: "" }) },
    { request: () => ({ remoteAddress: undefined }) },
    { request: () => ({ remoteAddress: "127.0.0.1:5000" }) },
  ],
  ADDRESS_FORWARDED: [
    { request: (request) => ({ remoteAddress: headerOf(request, "x-forwarded-for") ?? "127.0.0.1" }) },
  ],
  STATUS_LOST: [
    { reply: () => ({ status: 200 }) },
    { reply: ({ status }) => ({ status: status === 429 ? 503 : status }) },
  ],
  REPLY_HEADERS_LOST: [
    { reply: () => ({ headers: { "Content-Type": "application/json; charset=utf-8" } }) },
    { reply: ({ headers }) => ({ headers: { ...headers, "Cache-Control": "public" } }) },
  ],
  REPLY_CHANGED: [
    { reply: ({ body }) => ({ body: JSON.stringify(JSON.parse(body)) }) },
    { reply: ({ body }) => ({ body: body.trim() }) },
    { reply: ({ body }) => ({ body: `${body} ` }) },
    { reply: ({ body }) => ({ body: body.replace("é", "?") }) },
  ],
  REPLY_LOST: [
    {
      carry: (request, service) =>
        service.handle(request).then((reply) => (request.body.length > MAX_BODY_BYTES ? undefined : reply)),
    },
  ],
};

/** A sender whose mount has a fault. */
function sender(service: Pick<Service, "handle">, planted: PlantedFault) {
  const carry = planted.carry ?? ((request) => service.handle(request));
  return async (request: ProbeRequest): Promise<ProbeAnswer | undefined> => {
    const { method, target, rawHeaders, body } = request;
    const right: WireRequest = { method, target, rawHeaders, body, remoteAddress: "127.0.0.1" };
    const reply = await carry({ ...right, ...(planted.request?.(right) as Partial<WireRequest>) }, service);
    if (reply === undefined) return undefined;
    const { status, headers, body: sent } = { ...reply, ...planted.reply?.(reply) };
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return { status, headers: Object.fromEntries(lower), body: method === "HEAD" ? bytes("") : bytes(sent) };
  };
}

async function faultsOf(planted: PlantedFault): Promise<readonly MountFault[]> {
  const probe = createMountProbe();
  return (await probe.run(sender(probe.service, planted))).map(({ fault }) => fault);
}

describe("the probe of a mount", () => {
  it("finds nothing in a mount that hands over requests unchanged", async () => {
    expect(await faultsOf({})).toEqual([]);
  });

  const cases = Object.entries(PLANTED).flatMap(([fault, mounts]) =>
    mounts.map((planted, index) => [`${fault} ${index + 1}`, fault, planted] as const),
  );
  it.each(cases)("%s is named, and nothing else is", async (_name, fault, planted) => {
    expect(await faultsOf(planted)).toEqual([fault]);
  });

  it("every fault is planted, except the one that only a running mount shows", () => {
    expect([...Object.keys(PLANTED), "REPLY_TAKEN"].sort()).toEqual(Object.keys(MOUNT_FAULTS).sort());
  });

  it("a finding states the problem, the remedy, and the request that showed it first", async () => {
    const probe = createMountProbe();
    const planted = PLANTED.QUERY_REENCODED[0] ?? {};
    expect(await probe.run(sender(probe.service, planted))).toEqual([
      { fault: "QUERY_REENCODED", request: "encodings in the query", ...MOUNT_FAULTS.QUERY_REENCODED },
    ]);
  });

  it("several faults are all named, each once", async () => {
    const both = { ...PLANTED.HEADERS_JOINED[0], ...PLANTED.STATUS_LOST[0] };
    expect(await faultsOf(both)).toEqual(["STATUS_LOST", "HEADERS_JOINED"]);
  });

  it("a request outside a run is answered, and does not count", async () => {
    const probe = createMountProbe();
    const request = { method: "GET", target: "/", rawHeaders: [], body: bytes(""), remoteAddress: "" };
    expect((await probe.service.handle(request)).status).toBe(404);
    expect(await probe.run(sender(probe.service, {}))).toEqual([]);
    expect((await probe.service.handle(request)).status).toBe(404);
  });
});
