import type { IncomingMessage, ServerResponse } from "node:http";
import type { FrameworkParts } from "./framework-parts.ts";

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
