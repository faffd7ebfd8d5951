import { OrderError } from "../errors/index.ts";
import { singleHeader } from "../wire/index.ts";

/** The headers that a request is read by, each sent at most once. */
export type RequestHeaders = Readonly<{
  apiKey: string | undefined;
  signature: string | undefined;
  contentType: string | undefined;
}>;

/** Headers by which some servers let a request be another method than it was signed and routed as. */
const OVERRIDES: readonly string[] = ["x-http-method-override", "x-http-method", "x-method-override"];

/**
 * Reads the headers. Throws an OrderError for one that came twice or is not printable ASCII (-2014, -1022, -1101,
 * -1100) and for a method override (-1130). Source: hostile inputs 10, 26, 27, 46, 48.
 */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  refuseOverrides(rawHeaders);
  return {
    apiKey: singleHeader(rawHeaders, "X-MBX-APIKEY"),
    signature: singleHeader(rawHeaders, "signature"),
    contentType: singleHeader(rawHeaders, "Content-Type"),
  };
}

function refuseOverrides(rawHeaders: readonly string[]): void {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? "";
    if (!OVERRIDES.includes(name)) continue;
    throw new OrderError("INVALID_PARAMETER", {
      field: name,
      advice: "Send the request with the method it is meant for.",
    });
  }
}
