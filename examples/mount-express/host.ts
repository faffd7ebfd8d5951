import { createServer, type Server } from "node:http";
import express from "express";
import { createNodeMount, type NodeMount } from "managed-orders/node";
import type { Service } from "managed-orders/service";

/** Creates an Express app with its own routes, the service below /api, and the service's WebSockets. */
export async function createHost(service: Service): Promise<Readonly<{ server: Server; mount: NodeMount }>> {
  const mount = createNodeMount({ service });
  const app = express();
  // A body parser in front would read the bytes that signatures cover.
  app.use(mount.middleware());
  app.use(express.json());
  app.get("/health", (_request, response) => void response.send("well"));
  app.post("/echo", (request, response) => void response.json(request.body));

  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
  const server = createServer(limits, app);
  mount.attach(server, service.sockets);
  return { server, mount };
}
