import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServicePaths } from "./service-paths.ts";

/** Parts of a mount that the functions for frameworks share. */
export type FrameworkParts = Readonly<{
  paths: ServicePaths;
  /** Answers a request. Never rejects. */
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}>;
