import type { Server } from "node:http";
import { createHost as expressHost } from "../../examples/mount-express/host.ts";
import { createHost as fastifyHost } from "../../examples/mount-fastify/host.ts";
import { createHost as honoHost } from "../../examples/mount-hono/host.ts";
import { createHost as nodeHost } from "../../examples/mount-node-http/host.ts";
import { createNodeServer, type NodeMount } from "../../src/adapters/node/index.ts";
import type { Service } from "../../src/service/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { listening } from "../support/listening.ts";
import { mountSuite, type OpenMount } from "../support/mount-suite.ts";

type CreateHost = (service: Service) => Promise<Readonly<{ server: Server; mount: NodeMount }>>;

/** A host of the examples in the form of the suite: drained as docs/mounting.md says. */
const hosted =
  (createHost: CreateHost): OpenMount =>
  async (service) => {
    const { server, mount } = await createHost(service);
    const port = await listening(server);
    return {
      port,
      async close(options) {
        const drained = mount.drain(options);
        const closed = new Promise((resolve) => server.close(resolve));
        await drained;
        await closed;
      },
    };
  };

const ownServer: OpenMount = async (service) => {
  const server = createNodeServer({ service, sockets: service.sockets, ...withFronts() });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port, close: (options) => server.close(options) };
};

mountSuite("createNodeServer", ownServer, { ownRoutes: false });
mountSuite("node:http", hosted(nodeHost), { ownRoutes: true });
mountSuite("Express", hosted(expressHost), { ownRoutes: true });
mountSuite("Fastify", hosted(fastifyHost), { ownRoutes: true });
mountSuite("Hono", hosted(honoHost), { ownRoutes: true });
