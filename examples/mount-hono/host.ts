import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { createNodeMount, type NodeMount } from "managed-orders/node";
import type { Service } from "managed-orders/service";

/** Creates a Hono app on Node with its own routes, the service below /api, and the service's WebSockets. */
export async function createHost(service: Service): Promise<Readonly<{ server: Server; mount: NodeMount }>> {
  const mount = createNodeMount({ service });
  const app = new Hono();
  app.use(mount.honoHandler());
  app.get("/health", (c) => c.text("well"));
  app.post("/echo", async (c) => c.json(await c.req.json()));

  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
  const server = createServer(limits, getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  mount.attach(server, service.sockets);
  return { server, mount };
}
