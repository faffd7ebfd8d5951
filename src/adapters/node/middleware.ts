import type { IncomingMessage, ServerResponse } from "node:http";
import type { FrameworkParts } from "./framework-parts.ts";

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
