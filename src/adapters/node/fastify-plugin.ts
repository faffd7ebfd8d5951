import type { IncomingMessage, ServerResponse } from "node:http";
import { REST_PATHS } from "../../service/internal.ts";
import type { FrameworkParts } from "./framework-parts.ts";

/** A hook of Fastify that runs before the body is parsed. */
export type FastifyMountHook = (
  request: Readonly<{ raw: IncomingMessage }>,
  reply: Readonly<{ raw: ServerResponse; hijack(): unknown }>,
) => void;

/** The parts of a Fastify instance that the plugin uses. */
export interface FastifyMountScope {
  readonly prefix: string;
  /** Adds a plugin in a scope of its own, below a prefix. */
  register(plugin: FastifyMountPlugin, options: { prefix: string }): unknown;
  /** Adds a hook that runs for every request of the scope. */
  addHook(name: "onRequest", hook: FastifyMountHook): unknown;
  /** Adds a route for every method that Fastify knows. */
  all(path: string, handler: () => void): unknown;
  /** Sets the handler of requests of the scope without a route. */
  setNotFoundHandler(handler: () => void): unknown;
}

/** A plugin for Fastify. */
export type FastifyMountPlugin = (instance: FastifyMountScope) => Promise<void>;

/** The handler of the plugin's routes. It never runs, because the hook takes over every request before it. */
const neverReached = (): void => undefined;

/** Catches all requests below a path. Fastify has routes for the methods it knows; all others are "not found". */
const catchAll: FastifyMountPlugin = async (scope) => {
  scope.all("/*", neverReached);
  scope.setNotFoundHandler(neverReached);
};

/**
 * Returns a plugin that answers the requests for the service's paths, of every method. Its hook takes over each of
 * them before Fastify parses the body. The hook is in a scope of its own, so that it affects no other route, even if
 * the host registers the plugin without a scope.
 */
export function fastifyPluginOf({ paths, answer }: FrameworkParts): FastifyMountPlugin {
  const routes: FastifyMountPlugin = async (scope) => {
    scope.addHook("onRequest", (request, reply) => {
      reply.hijack();
      void answer(request.raw, reply.raw);
    });
    for (const path of REST_PATHS) scope.register(catchAll, { prefix: path.slice(0, -1) });
    for (const path of paths.documents) scope.all(path, neverReached);
  };
  return async function managedOrders(instance) {
    instance.register(routes, { prefix: prefixBelow(instance.prefix, paths.prefix) });
  };
}

/** Returns what of the mount's prefix a Fastify instance has not added itself. Throws a RangeError if they disagree. */
function prefixBelow(added: string, prefix: string): string {
  if (prefix === added || prefix.startsWith(`${added}/`)) return prefix.slice(added.length);
  const [registered, wanted] = [added, prefix].map((path) => JSON.stringify(path));
  throw new RangeError(
    `The plugin is registered with the prefix ${registered}, but the mount has the prefix ${wanted}. ` +
      `Create the mount with createNodeMount({ service, prefix: ${registered} }).`,
  );
}
