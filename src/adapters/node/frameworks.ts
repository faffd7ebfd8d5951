import type { IncomingMessage, ServerResponse } from "node:http";
import { REST_PATHS } from "../../service/internal.ts";
import type { ServicePaths } from "./incoming.ts";

/** Parts of a mount that the functions for frameworks share. */
type FrameworkParts = Readonly<{
  paths: ServicePaths;
  /** Answers a request. Never rejects. */
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}>;

/** Middleware for Express, connect and other frameworks that call it with the objects of node:http. */
export type NodeMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** Returns middleware that answers the requests for the service's paths and passes on all others. */
export function middlewareOf({ paths, answer }: FrameworkParts): NodeMiddleware {
  return (request, response, next) => {
    if (paths.has(request)) void answer(request, response);
    else next();
  };
}

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

/** The parts of a Hono context that the handler uses. */
export interface HonoMountContext {
  readonly env: unknown;
  readonly req: Readonly<{ path: string }>;
}

/** A handler for Hono, which also fits as middleware. */
export type HonoMountHandler = (
  context: HonoMountContext,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/** The objects of node:http that `@hono/node-server` hands over. An upgrade request has no response. */
type NodeBindings = Readonly<{ incoming: IncomingMessage; outgoing: ServerResponse | undefined }>;

/** Returns the response that tells `@hono/node-server` that the answer has gone out. */
function alreadySent(): Response {
  const response = new Response(null, { headers: { "x-hono-already-sent": "true" } });
  // The server replaces the global Response by one that it writes without reading its headers, unless something has
  // read its body. It would then write a second answer, and print an error for every request.
  void response.body;
  return response;
}

/** Returns a handler that answers the requests for the service's paths and passes on all others. */
export function honoHandlerOf({ paths, answer }: FrameworkParts): HonoMountHandler {
  return async ({ env, req }, next) => {
    if (!hasNodeBindings(env)) {
      if (!paths.hasPath(req.path)) return void (await next());
      throw new TypeError(
        "The service needs the request of node:http: serve the app with @hono/node-server. " +
          "A Request of fetch has a rewritten URL and joined headers, so signatures of it would not hold.",
      );
    }
    const { incoming, outgoing } = env;
    if (outgoing === undefined || !paths.has(incoming)) return void (await next());
    await answer(incoming, outgoing);
    return alreadySent();
  };
}

function hasNodeBindings(env: unknown): env is NodeBindings {
  return typeof env === "object" && env !== null && "incoming" in env && "outgoing" in env;
}
