import type { Server } from "node:http";
import { fastify } from "fastify";
import { createNodeMount, type NodeMount } from "managed-orders/node";
import type { Service } from "managed-orders/service";

/** Creates a Fastify app with its own routes, the service below /api, and the service's WebSockets. */
export async function createHost(service: Service): Promise<Readonly<{ server: Server; mount: NodeMount }>> {
  const mount = createNodeMount({ service });
  const app = fastify({
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 10_000 },
  });
  app.register(mount.fastifyPlugin());
  app.get("/health", async () => "well");
  app.post("/echo", async (request) => request.body);

  await app.ready();
  mount.attach(app.server, service.sockets);
  return { server: app.server, mount };
}
