import { OrderError } from "../../errors/index.ts";
import { isStrictQuery, type WireRequest } from "../../wire/index.ts";
import { MAX_BODY_BYTES } from "./api.ts";

/**
 * Checks query bytes and body size. A GET must have no body: the signature of a version 2 query would not cover it
 * (decision 40).
 */
export function checkBytes(query: string, { method, body }: Pick<WireRequest, "method" | "body">): void {
  if (!isStrictQuery(query)) {
    throw new OrderError("ILLEGAL_CHARS", { field: "query", range: "RFC 3986 query characters" });
  }
  if (body.length > MAX_BODY_BYTES) {
    throw new OrderError("BODY_TOO_LARGE", { limit: MAX_BODY_BYTES, received: body.length });
  }
  if (method === "GET" && body.length > 0) throw new OrderError("PARAMETER_NOT_REQUIRED", { field: "body" });
}
