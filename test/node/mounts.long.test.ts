import type { Server } from "node:http";
import { describe, it } from "vitest";
import { createHost as expressHost } from "../../examples/mount-express/host.ts";
import { createHost as fastifyHost } from "../../examples/mount-fastify/host.ts";
import { createHost as honoHost } from "../../examples/mount-hono/host.ts";
import { createHost as nodeHost } from "../../examples/mount-node-http/host.ts";
import { createNodeServer, type NodeMount } from "../../src/adapters/node/index.ts";
import { type MountSubject, testMount } from "../../src/conformance/index.ts";
import type { Service } from "../../src/service/index.ts";
import { withFronts } from "../support/front-threads.ts";
import { listening } from "../support/listening.ts";
import { testMountedService } from "../support/mounted-service.ts";

type CreateHost = (service: Service) => Promise<Readonly<{ server: Server; mount: NodeMount }>>;

/** A host of the examples in the form of the suite: drained as docs/mounting.md says. */
const hosted =
  (createHost: CreateHost): MountSubject["open"] =>
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

const ownServer: MountSubject["open"] = async (service) => {
  const server = createNodeServer({ service, sockets: service.sockets, ...withFronts() });
  const { port } = await server.listen({ host: "127.0.0.1", port: 0 });
  return { port, close: (options) => server.close(options) };
};

const mounts: readonly (readonly [name: string, open: MountSubject["open"], ownRoutes: boolean])[] = [
  ["createNodeServer", ownServer, false],
  ["node:http", hosted(nodeHost), true],
  ["Express", hosted(expressHost), true],
  ["Fastify", hosted(fastifyHost), true],
  ["Hono", hosted(honoHost), true],
];

for (const [name, open, ownRoutes] of mounts) {
  const subject: MountSubject = { name, open, supports: { sockets: true, ownRoutes, drains: true } };
  testMount({ describe, it }, subject);
  describe(`${name} with a service`, () => testMountedService(subject));
}
