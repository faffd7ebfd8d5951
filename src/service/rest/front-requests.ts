import { findRoute } from "../../requests/index.ts";
import { verifySignature } from "../../signing/index.ts";
import { restSignature } from "../../signing/internal.ts";
import { splitTarget, type WireRequest } from "../../wire/index.ts";
import { requiredKey } from "../access/authentication.ts";
import type { Worked } from "../access/front-work.ts";
import { readParameters } from "./authentication.ts";
import { readHeaders } from "./headers.ts";
import { checkBytes } from "./request-bytes.ts";

/**
 * Runs the part of a signed request that needs only its bytes and a secret, in a front thread, with the service's own
 * functions. Returns undefined when anything is unusual. The service then runs all steps itself, in its own order,
 * including any refusal. Never throws. Source: decision HS.
 *
 * @internal
 */
export function workRequest(
  request: WireRequest,
  secretOf: (apiKey: string) => string | undefined,
): Worked | undefined {
  try {
    const { path, query } = splitTarget(request.target) ?? { path: "", query: "" };
    const route = findRoute(request.method, path);
    if (route === undefined || route === "wrong-method" || route.access === "PUBLIC") return undefined;
    const headers = readHeaders(request.rawHeaders);
    checkBytes(query, request);
    const apiKey = requiredKey(headers.apiKey);
    const signed = restSignature({ query, body: request.body, header: headers.signature });
    const { payload, signature } = signed;
    const secret = secretOf(apiKey);
    // An unknown key costs the same work, so that timing does not reveal it.
    if (!verifySignature({ secret, payload, signature }) || secret === undefined) return undefined;
    return { apiKey, signature, parameters: readParameters(signed, headers.contentType), secret };
  } catch {
    return undefined;
  }
}
