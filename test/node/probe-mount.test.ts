import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { getRequestListener } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { afterEach, expect, it } from "vitest";
import { createNodeMount, probeMount } from "../../src/adapters/node/index.ts";
import { createMountProbe, type Service } from "../../src/service/index.ts";
import type { WireRequest } from "../../src/wire/index.ts";
import { listening } from "../support/listening.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Handle = Pick<Service, "handle">;
type Host = (service: Handle) => RequestListener | Promise<Server>;

/** Names of the probe's findings about a host, in alphabetical order. */
async function findingsOf(host: Host, timeoutMs = 5_000): Promise<readonly string[]> {
  const probe = createMountProbe();
  const made = await host(probe.service);
  const server = typeof made === "function" ? createServer(made) : made;
  const port = await listening(server);
  open.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const findings = await probeMount(probe, { url: `http://127.0.0.1:${port}`, timeoutMs });
  return findings.map(({ fault }) => fault).sort();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A handwritten mount over node:http that differs from a correct one as `given` says. */
const byHand =
  (
    given: (request: IncomingMessage) => Partial<WireRequest>,
    send = (response: ServerResponse, status: number, headers: object, body: string): unknown =>
      response.writeHead(status, { ...headers }).end(body),
  ): Host =>
  (service) =>
  async (request, response) => {
    const { method = "", url = "", rawHeaders, socket } = request;
    const right = { method, target: url, rawHeaders, remoteAddress: socket.remoteAddress ?? "" };
    const reply = await service.handle({ ...right, body: await bodyOf(request), ...given(request) });
    send(response, reply.status, reply.headers, reply.body);
  };

it("a correct handwritten mount: no findings, with bodies of known length and in chunks", async () => {
  const framings = new Set<string>();
  const framed = byHand(({ headers }) => {
    framings.add(
      headers["transfer-encoding"] ?? (headers["content-length"] === undefined ? "none" : "length"),
    );
    return {};
  });
  expect(await findingsOf(framed)).toEqual([]);
  expect([...framings].sort()).toEqual(["chunked", "length", "none"]);
});

it.each<[string, Host, readonly string[]]>([
  [
    "node:http: a query that went through URLSearchParams",
    byHand(({ url = "" }) => {
      const [path, query] = url.split(/\?(.*)/s);
      return query === undefined ? {} : { target: `${path}?${new URLSearchParams(query)}` };
    }),
    ["QUERY_REENCODED"],
  ],
  [
    "node:http: a target that went through URL",
    byHand(({ url }) => {
      const { pathname, search } = new URL(`http://a${url}`);
      return { target: pathname + search };
    }),
    ["PATH_CHANGED", "QUERY_REENCODED"],
  ],
  [
    "node:http: the headers object",
    byHand(({ headers }) => ({ rawHeaders: Object.entries(headers).flat().map(String) })),
    ["HEADERS_JOINED"],
  ],
  [
    "node:http: every failure as 500 without headers",
    byHand(
      () => ({}),
      (response, status, _headers, body) => response.writeHead(status < 300 ? 200 : 500).end(body),
    ),
    ["REPLY_HEADERS_LOST", "STATUS_LOST"],
  ],
  [
    "Express: a body parser in front",
    (service) => {
      const mount = createNodeMount({ service });
      return express()
        .use(express.json({ limit: "1mb", type: () => true, strict: false }))
        .use((request, response) => void mount.answer(request, response));
    },
    // Its refusals of bodies that are not JSON, or compressed, are answers of the host.
    ["BODY_CONSUMED", "NOT_DELIVERED"],
  ],
  [
    "Express: app.use with the service's own path",
    (service) => {
      const mount = createNodeMount({ service });
      return express().use("/api", (request, response) => void mount.answer(request, response));
    },
    // Express keeps the original URL.
    [],
  ],
  [
    "Express: query, body and address as Express has them",
    (service) =>
      express()
        .set("trust proxy", true)
        .set("query parser", "simple")
        .use(express.json({ type: "application/json", limit: 32_768 }))
        .use(async (request, response) => {
          const query = String(new URLSearchParams(request.query as Record<string, string>));
          const { status, headers, body } = await service.handle({
            method: request.method,
            target: query === "" ? request.path : `${request.path}?${query}`,
            rawHeaders: request.rawHeaders,
            body: Buffer.from(JSON.stringify(request.body) ?? ""),
            remoteAddress: request.ip ?? "",
          });
          response.status(status).set(headers).json(JSON.parse(body));
        }),
    [
      "ADDRESS_FORWARDED",
      "BODY_INFLATED",
      "BODY_LIMIT",
      "BODY_LOST",
      "BODY_REPARSED",
      "NOT_DELIVERED",
      "QUERY_CHANGED",
      "QUERY_REENCODED",
      "REPLY_CHANGED",
    ],
  ],
  [
    "Express: express.raw with its defaults",
    (service) => {
      const mount = createNodeMount({ service });
      return express()
        .use(express.raw({ type: () => true }))
        .use((request, response) => void mount.answer(request, response, { body: request.body }));
    },
    ["BODY_INFLATED"],
  ],
  [
    "Fastify: a handler behind its parsers",
    async (service) => {
      const mount = createNodeMount({ service });
      const app = fastify({ bodyLimit: 20_000 });
      app.all("/api/*", (request, reply) => {
        reply.hijack();
        void mount.answer(request.raw, reply.raw);
      });
      await app.ready();
      return app.server;
    },
    ["BODY_CONSUMED", "BODY_LIMIT", "NOT_DELIVERED"],
  ],
  [
    "Hono: the Request of fetch",
    (service) => {
      const app = new Hono();
      app.all("*", async (c) => {
        const { method, url, headers } = c.req.raw;
        const { pathname, search } = new URL(url);
        const reply = await service.handle({
          ...{ method, target: pathname + search, remoteAddress: "127.0.0.1" },
          rawHeaders: [...headers].flat(),
          body: new Uint8Array(await c.req.arrayBuffer()),
        });
        return new Response(reply.body, { status: reply.status, headers: reply.headers });
      });
      return getRequestListener(app.fetch, { overrideGlobalObjects: false });
    },
    ["HEADERS_JOINED", "PATH_CHANGED", "QUERY_REENCODED"],
  ],
])("%s", async (_host, host, faults) => {
  expect(await findingsOf(host)).toEqual(faults);
});

it("an answer that never comes is awaited for at most the given time", async () => {
  const host = byHand(
    () => ({}),
    (response, status, headers, body) =>
      response.req.method === "OPTIONS" || response.writeHead(status, { ...headers }).end(body),
  );
  expect(await findingsOf(host, 1_000)).toEqual(["REPLY_LOST"]);
});

it("a host that does not answer, and an invalid URL", async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  const probe = createMountProbe();
  await expect(probeMount(probe, { url: `http://127.0.0.1:${port}` })).rejects.toThrow("ECONNREFUSED");
  expect(() => probeMount(probe, { url: "127.0.0.1" })).toThrow(
    'probeMount.url must be an http URL, such as http://127.0.0.1:8080/trading, got "127.0.0.1"',
  );
});
