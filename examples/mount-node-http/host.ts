import { createServer, type Server } from "node:http";
import { createNodeMount, type NodeMount } from "managed-orders/node";
import type { Service } from "managed-orders/service";

/** Creates a node:http server with its own routes, the service below /api, and the service's WebSockets. */
export async function createHost(service: Service): Promise<Readonly<{ server: Server; mount: NodeMount }>> {
  const mount = createNodeMount({ service });
  const limits = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };
  const server = createServer(limits, (request, response) => {
    const { method, url = "" } = request;
    if (/^\/(compat\/)?api\//.test(url)) void mount.answer(request, response);
    else if (url === "/health") response.end("well");
    else if (url === "/echo" && method === "POST") request.pipe(response);
    else response.writeHead(404).end();
  });
  mount.attach(server, service.sockets);
  return { server, mount };
}
