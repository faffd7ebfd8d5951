import { OrderError } from "../../errors/index.ts";
import { singleHeader } from "../../wire/index.ts";

/** The headers that the service reads, each sent at most once. */
export type RequestHeaders = Readonly<{
  apiKey: string | undefined;
  signature: string | undefined;
  contentType: string | undefined;
}>;

/** Headers by which some servers override the method that a request was signed and routed with. */
const OVERRIDE = /^(?:x-http-method-override|x-http-method|x-method-override)$/i;

/**
 * Reads the headers. Throws an OrderError for a header that came twice or is not printable ASCII (-2014, -1022, -1101,
 * -1100), for a method override, and for a body that is declared compressed (-1130): bodies are read and signed as
 * received. Source: hostile inputs 10, 26, 27, 46, 48, 49.
 */
export function readHeaders(rawHeaders: readonly string[]): RequestHeaders {
  refuseOverrides(rawHeaders);
  refuseEncoding(singleHeader(rawHeaders, "Content-Encoding"));
  return {
    apiKey: singleHeader(rawHeaders, "X-MBX-APIKEY"),
    signature: singleHeader(rawHeaders, "signature"),
    contentType: singleHeader(rawHeaders, "Content-Type"),
  };
}

function refuseOverrides(rawHeaders: readonly string[]): void {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (!OVERRIDE.test(name)) continue;
    throw new OrderError("INVALID_PARAMETER", {
      field: name.toLowerCase(),
      advice: "Omit this header, and send the request with the HTTP method that you mean.",
    });
  }
}

function refuseEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding.toLowerCase() === "identity") return;
  throw new OrderError("INVALID_PARAMETER", {
    field: "Content-Encoding",
    advice: "Send the body uncompressed, without this header.",
  });
}
