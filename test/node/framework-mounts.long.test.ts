import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import express, { type Request } from "express";
import { type FastifyInstance, fastify } from "fastify";
import { Hono } from "hono";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNodeMount, type NodeMount, type NodeMountOptions } from "../../src/adapters/node/index.ts";
import { COMPAT_ROUTES, ROUTES } from "../../src/requests/index.ts";
import { MOUNT_FAULTS, type MountFault, type ServiceSettings } from "../../src/service/index.ts";
import { REST_PATHS } from "../../src/service/internal.ts";
import { readJson } from "../../src/wire/index.ts";
import { listening } from "../support/listening.ts";
import { openConnection, type RawAnswer, type RawRequest, rawBytes, sendRaw } from "../support/raw-http.ts";
import {
  FAR_LIMIT,
  KEYS,
  openWorld,
  requestOf,
  type ServiceWorld,
  START_MS,
} from "../support/service-world.ts";
import { signed } from "../support/signed-raw.ts";

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener | Server): Promise<number> {
  const server = typeof listener === "function" ? createServer(listener) : listener;
  const port = await listening(server);
  open.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return port;
}

/** A host: mounts a service with the given options, and answers every other request with its own 418. */
type Host = (mount: (options?: Partial<NodeMountOptions>) => NodeMount) => Promise<Server> | RequestListener;

type MountedWorld = ServiceWorld &
  Readonly<{
    port: number;
    /** Events of the mount's telemetry. */
    faults: unknown[];
  }>;

async function mounted(host: Host, settings: ServiceSettings = {}): Promise<MountedWorld> {
  const documents = { "/hours.json": () => '{"open":"always"}' };
  const world = await openWorld({ service: { documents, settings } });
  const faults: unknown[] = [];
  const telemetry = { event: (...event: unknown[]) => void faults.push(event) };
  const mount = (options = {}): NodeMount =>
    createNodeMount({ service: world.service, telemetry, ...options });
  return { ...world, port: await serve(await host(mount)), faults };
}

const teapot: RequestListener = (_request, response) => void response.writeHead(418).end("the host");

/** Serves an app as `serve` of the server does, which puts its own Request and Response in place of the global ones. */
function onHono(app: Hono): RequestListener {
  const { Request, Response } = globalThis;
  open.push(() => Object.assign(globalThis, { Request, Response }));
  return getRequestListener(app.all("*", (c) => c.text("the host", 418)).fetch);
}

/** A Fastify app that is ready, with a small limit of its own for bodies. */
async function onFastify(register: (app: FastifyInstance) => unknown): Promise<Server> {
  const app = fastify({ bodyLimit: 100 });
  app.setNotFoundHandler((_request, reply) => reply.code(418).send("the host"));
  await register(app);
  await app.ready();
  return app.server;
}

const below = (prefix: string, request: RawRequest): RawRequest => ({
  ...request,
  target: prefix + request.target,
});

const codeOf = ({ status, body }: RawAnswer): readonly unknown[] => [
  status,
  (readJson(body) as { code?: number }).code,
];

const orderText = (id: string): string =>
  JSON.stringify({ ...FAR_LIMIT, newClientOrderId: id }).replaceAll(",", " ,\n");

const placing = (id: string): RawRequest =>
  signed({ method: "POST", target: `/api/order?nonce=${id}`, body: orderText(id) });

describe("requests that the service receives through a framework, byte for byte", () => {
  const hosts: readonly (readonly [name: string, prefix: string, host: Host])[] = [
    ["Express", "", (mount) => express().use(mount().middleware()).use(teapot)],
    [
      "Express at the service's own paths, which it removes",
      "",
      (mount) => express().use(["/api", "/hours.json"], mount().middleware()).use(teapot),
    ],
    [
      "Express, below the mount's prefix",
      "/trading",
      (mount) =>
        express()
          .use(mount({ prefix: "/trading" }).middleware())
          .use(teapot),
    ],
    [
      "Express at the mount's prefix, which it removes",
      "/trading",
      (mount) =>
        express()
          .use("/trading", mount({ prefix: "/trading" }).middleware())
          .use(teapot),
    ],
    [
      "Express at a prefix that the mount does not know",
      "/trading",
      (mount) => express().use("/trading", mount().middleware()).use(teapot),
    ],
    [
      "Express in a router of a router",
      "/v1/trading",
      (mount) =>
        express()
          .use("/v1", express.Router().use("/trading", express.Router().use(mount().middleware())))
          .use(teapot),
    ],
    [
      "Express behind code that decodes the URL",
      "",
      (mount) =>
        express()
          .use((request, _response, next) => {
            request.url = decodeURIComponent(request.url);
            next();
          })
          .use(mount().middleware())
          .use(teapot),
    ],
    [
      "Express behind a parser that keeps the bytes as rawBody",
      "",
      (mount) =>
        express()
          .use(
            express.json({
              type: () => true,
              verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
            }),
          )
          .use(mount().middleware())
          .use(teapot),
    ],
    [
      "Express behind a parser of bytes",
      "",
      (mount) =>
        express()
          .use(express.raw({ type: () => true }))
          .use(mount().middleware())
          .use(teapot),
    ],
    ["Fastify", "", (mount) => onFastify((app) => app.register(mount().fastifyPlugin()))],
    [
      "Fastify, below the mount's prefix",
      "/trading",
      (mount) => onFastify((app) => app.register(mount({ prefix: "/trading" }).fastifyPlugin())),
    ],
    [
      "Fastify, registered with the mount's prefix",
      "/trading",
      (mount) =>
        onFastify((app) =>
          app.register(mount({ prefix: "/trading" }).fastifyPlugin(), { prefix: "/trading" }),
        ),
    ],
    [
      "Fastify in a scope, with the rest of the mount's prefix to add",
      "/v1/trading",
      (mount) =>
        onFastify((app) =>
          app.register(async (scope) => scope.register(mount({ prefix: "/v1/trading" }).fastifyPlugin()), {
            prefix: "/v1",
          }),
        ),
    ],
    [
      "Fastify after a scope with parsers and routes for everything",
      "",
      (mount) =>
        onFastify(async (app) => {
          app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
          await app.register(async (scope) => {
            scope.all("/*", (_request, reply) => reply.code(418).send("the host"));
          });
          await app.register(mount().fastifyPlugin());
        }),
    ],
    [
      "Fastify, registered without a scope, as fastify-plugin does",
      "",
      (mount) =>
        onFastify((app) => {
          const plugin = Object.assign(mount().fastifyPlugin(), { [Symbol.for("skip-override")]: true });
          return app.register(plugin);
        }),
    ],
    ["Hono", "", (mount) => onHono(new Hono().use(mount().honoHandler()))],
    [
      "Hono at a path",
      "",
      (mount) =>
        onHono(new Hono().all("/api/*", mount().honoHandler()).get("/hours.json", mount().honoHandler())),
    ],
    [
      "Hono behind middleware that sets headers",
      "",
      (mount) =>
        onHono(
          new Hono()
            .use(async (c, next) => {
              c.res.headers.set("x-before", "1");
              await next();
              c.res.headers.set("x-after", "1");
            })
            .use(mount().honoHandler()),
        ),
    ],
    [
      "Hono without changes of the global objects",
      "",
      (mount) =>
        getRequestListener(
          new Hono().use(mount().honoHandler()).all("*", (c) => c.text("the host", 418)).fetch,
          { overrideGlobalObjects: false },
        ),
    ],
    [
      "Hono, below the mount's prefix",
      "/trading",
      (mount) => onHono(new Hono().use("/trading/*", mount({ prefix: "/trading" }).honoHandler())),
    ],
  ];

  it.each(hosts)(
    "%s: GET, POST and DELETE are verified, all else below /api is the service's 404",
    async (_name, prefix, host) => {
      const { port, faults } = await mounted(host);
      const connection = await openConnection(port);
      const printed = vi.spyOn(console, "error");
      open.push(
        () => connection.close(),
        () => printed.mockRestore(),
      );
      const ask = (request: RawRequest): Promise<RawAnswer> => {
        connection.write(rawBytes(below(prefix, request)));
        return connection.answer();
      };
      const placed = await ask(placing("odd.id-1"));
      expect(placed.status, placed.body).toBe(200);

      const target = `/api/v2/order?symbol=BTC%2fUSD&origClientOrderId=%6fdd%2Eid%2d1&timestamp=${START_MS}`;
      const found = await ask(signed({ method: "GET", target }));
      expect(readJson(found.body)).toMatchObject({ clientOrderId: "odd.id-1" });

      const { orderId } = readJson(placed.body) as { orderId: number };
      const body = `{"symbol":"BTC/USD", "orderId": ${orderId}}`;
      const canceled = await ask(signed({ method: "DELETE", target: "/api/v2/order?nonce=2", body }));
      expect(readJson(canceled.body)).toMatchObject({ orderId, status: "CANCELED" });

      const forged = { ...placing("forged-1"), body: orderText("forged-2") };
      expect(codeOf(await ask(forged))).toEqual([400, -1022]);
      for (const method of ["GET", "TRACE", "PROPFIND", "OPTIONS"])
        expect(
          (await ask({ method, target: "/api/nothing" })).headers.get("x-mbx-used-weight-1m"),
        ).toBeDefined();
      expect((await ask({ method: "GET", target: "/hours.json" })).body).toBe('{"open":"always"}');
      expect([faults, printed.mock.calls]).toEqual([[], []]);
    },
  );

  it.each(hosts)(
    "%s: what is not below the service's paths is left to the host",
    async (_name, prefix, host) => {
      const { port } = await mounted(host);
      for (const target of ["/health", "/apiary/order", "/hours", "/ws/listenKey"]) {
        const request = { method: "GET", target: prefix + target };
        expect([target, await sendRaw(port, request)]).toMatchObject([target, { status: 418 }]);
      }
    },
  );
});

describe("a body that other code has read before", () => {
  const keeping =
    (retain: (request: Request, bytes: Buffer) => unknown): Host =>
    (mount) =>
      express()
        .use(
          express.json({
            type: () => true,
            verify: (request, _response, bytes) => Object.assign(request, { bytes }),
          }),
        )
        .use((request, _response, next) => {
          const { bytes = Buffer.alloc(0) } = request as { bytes?: Buffer };
          Object.assign(request, { rawBody: retain(request, bytes) });
          next();
        })
        .use(mount().middleware());

  const reported = (fault: MountFault): unknown => [
    "error",
    "mount.fault",
    { fault, ...MOUNT_FAULTS[fault] },
  ];

  it.each<[string, MountFault, Host]>([
    ["Express: a parser that keeps nothing", "BODY_CONSUMED", keeping(() => undefined)],
    [
      "Express: the JSON that a parser made is serialized again",
      "BODY_CHANGED",
      keeping(({ body }) => Buffer.from(JSON.stringify(body))),
    ],
    ["Express: the bytes are kept as text", "BODY_NOT_BYTES", keeping((_request, bytes) => bytes.toString())],
    ["Express: the result of the parser is kept", "BODY_NOT_BYTES", keeping(({ body }) => body)],
    [
      "Fastify: a hook reads the body",
      "BODY_CONSUMED",
      (mount) =>
        onFastify((app) => {
          app.addHook("onRequest", async ({ raw }) => {
            for await (const _chunk of raw);
          });
          return app.register(mount().fastifyPlugin());
        }),
    ],
    [
      "Hono: middleware reads the body, and Hono would serialize it again",
      "BODY_CONSUMED",
      (mount) =>
        onHono(
          new Hono()
            .use(async (c, next) => {
              await c.req.json();
              await next();
            })
            .use(mount().honoHandler()),
        ),
    ],
  ])("%s: %s with its remedy, and no order", async (_how, fault, host) => {
    const { port, faults, engine } = await mounted(host);
    const answer = await sendRaw(port, placing("lost-1"));
    expect(codeOf(answer)).toEqual([500, -1000]);
    expect(answer.headers.get("x-mount-fault")).toBe(fault);
    expect(faults).toEqual([reported(fault)]);
    expect(engine.metrics().openParents).toBe(0);
  });

  it("serialized again to the same length, it fails its signature", async () => {
    const { port } = await mounted(
      keeping(({ body }, bytes) => Buffer.from(JSON.stringify(body).padEnd(bytes.length))),
    );
    expect(codeOf(await sendRaw(port, placing("same-length-1")))).toEqual([400, -1022]);
  });

  it("in chunks, kept bytes are the body", async () => {
    const { port } = await mounted(keeping((_request, bytes) => bytes));
    expect((await sendRaw(port, { ...placing("chunks-1"), chunked: true })).status).toBe(200);
  });

  it("inflated, it is refused by the service", async () => {
    const { port, faults } = await mounted(keeping((_request, bytes) => bytes));
    const body = gzipSync(orderText("gzip-1"));
    const { headers = [] } = placing("gzip-1");
    const request = { ...placing("gzip-1"), body, headers: [...headers, "Content-Encoding", "gzip"] };
    expect(codeOf(await sendRaw(port, request))).toEqual([400, -1130]);
    expect(faults).toEqual([]);
  });

  it("rawBody does not count while the connection still has the body", async () => {
    const { port } = await mounted((mount) =>
      express()
        .use((request, _response, next) => {
          Object.assign(request, { rawBody: Buffer.from("{}") });
          next();
        })
        .use(mount().middleware()),
    );
    expect((await sendRaw(port, placing("unread-1"))).status).toBe(200);
  });
});

describe("limits through a framework", () => {
  const hosts: readonly (readonly [name: string, host: Host])[] = [
    [
      "Express, which trusts every proxy",
      (mount) => express().set("trust proxy", true).use(mount().middleware()),
    ],
    [
      "Fastify, whose own limit is 100 bytes",
      (mount) => onFastify((app) => app.register(mount().fastifyPlugin())),
    ],
    ["Hono", (mount) => onHono(new Hono().use(mount().honoHandler()))],
  ];

  it.each(hosts)(
    "%s: a forwarded address counts only from a proxy that the service trusts",
    async (_name, host) => {
      const requesting = requestOf("GET", "/api/v3/openOrders", {
        key: KEYS.elsewhere,
        query: { apiManaged: true, nonce: "1" },
        headers: ["X-Forwarded-For", "10.1.2.3"],
      });
      const ask = async (settings: ServiceSettings): Promise<number> => {
        const { port } = await mounted(host, settings);
        return (await sendRaw(port, { ...requesting, headers: requesting.rawHeaders })).status;
      };
      expect([await ask({}), await ask({ trustedProxies: ["127.0.0.1"] })]).toEqual([401, 200]);
    },
  );

  it.each(hosts)(
    "%s: 32,768 bytes are taken, one more is the service's 413, unread bytes close",
    async (_name, host) => {
      const { port } = await mounted(host);
      const sized = (id: string, bytes: number): RawRequest =>
        signed({ method: "POST", target: `/api/order?nonce=${id}`, body: orderText(id).padEnd(bytes) });
      expect((await sendRaw(port, sized("large-1", 32_768))).status).toBe(200);
      expect(codeOf(await sendRaw(port, sized("large-2", 32_769)))).toEqual([413, -1101]);
      const { headers = [] } = sized("large-3", 10);
      const announced = [...headers, "Content-Length", "10000000"];
      const answer = await sendRaw(port, {
        method: "POST",
        target: "/api/order?nonce=large-3",
        headers: announced,
      });
      expect([...codeOf(answer), answer.headers.get("connection")]).toEqual([413, -1101, "close"]);
    },
  );
});

it("connect, which removes a path and keeps only the original URL: the target is the service's", async () => {
  const { port } = await mounted((mount) => {
    const middleware = mount().middleware();
    return (request, response) => {
      const { url = "" } = request;
      Object.assign(request, { originalUrl: url, url: url.slice("/trading".length) });
      middleware(request, response, () => teapot(request, response));
    };
  });
  expect((await sendRaw(port, below("/trading", placing("connect-1")))).status).toBe(200);
  expect((await sendRaw(port, { method: "GET", target: "/trading/health" })).status).toBe(418);
});

it("Fastify with a prefix that the mount does not have: RangeError that names the remedy", async () => {
  const mount = createNodeMount({ service: (await openWorld()).service, prefix: "/trade" });
  const app = fastify();
  app.register(mount.fastifyPlugin(), { prefix: "/trading" });
  await expect(app.ready()).rejects.toThrow(
    new RangeError(
      'The plugin is registered with the prefix "/trading", but the mount has the prefix "/trade". ' +
        'Create the mount with createNodeMount({ service, prefix: "/trading" }).',
    ),
  );
});

it("Hono without the objects of node:http: TypeError for the service's paths only", async () => {
  const mount = createNodeMount({ service: (await openWorld()).service, prefix: "/trading" });
  const errors: unknown[] = [];
  const app = new Hono()
    .onError((error, c) => {
      errors.push(error);
      return c.text("failed", 500);
    })
    .use(mount.honoHandler())
    .get("/health", (c) => c.text("well"));
  expect(await (await app.request("/health")).text()).toBe("well");
  expect((await app.request("/trading/api/ping")).status).toBe(500);
  expect(errors).toEqual([expect.any(TypeError)]);
  expect(String(errors[0])).toContain("serve the app with @hono/node-server");
});

it("Hono: an upgrade request, which has no response, is left to the host", async () => {
  const mount = createNodeMount({ service: (await openWorld()).service });
  const app = new Hono().use(mount.honoHandler());
  const bindings = { incoming: { url: "/api/ping" }, outgoing: undefined };
  expect((await app.request("/api/ping", {}, bindings)).status).toBe(404);
});

it("every route is below the path that mounts take", () => {
  for (const { path } of [...ROUTES, ...COMPAT_ROUTES])
    expect(
      REST_PATHS.some((each) => path.startsWith(each)),
      path,
    ).toBe(true);
});
