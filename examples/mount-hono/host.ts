import { createServer, type Server } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { createNodeMount, type NodeMount } from "managed-orders/node";
import type { Service } from "managed-orders/service";

/** Creates a Hono app on Node with its own routes, the service below /api, and the service's WebSockets. */
export async function createHost(service: Service): Promise<Readonly<{ server: Server; mount: NodeMount }>> {
  const mount = createNodeMount({ service });
  const app = new Hono<{ Bindings: HttpBindings }>();
  // c.req holds a Request, whose URL is rewritten; incoming is the underlying node:http request.
  app.all("/api/*", async ({ env }) => {
    await mount.answer(env.incoming, env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  app.get("/health", (c) => c.text("well"));
  app.post("/echo", async (c) => c.json(await c.req.json()));

  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
  const server = createServer(limits, getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  mount.attach(server, service.sockets);
  return { server, mount };
}
