import { sign } from "../../src/signing/index.ts";
import type { RawRequest } from "./raw-http.ts";
import { KEYS } from "./service-world.ts";

/** A request signed by the owner in the header over exactly these bytes. */
export function signed(request: RawRequest & Readonly<{ type?: string }>): RawRequest {
  const { method, target, body = "", type = "application/json", headers = [], chunked = false } = request;
  const query = target.split("?")[1] ?? "";
  const bytes = Buffer.concat([Buffer.from(query), Buffer.from(body)]);
  const typed = body.length === 0 ? [] : ["Content-Type", type];
  const signature = sign({ secret: KEYS.owner.secret, payload: bytes });
  const all = ["X-MBX-APIKEY", KEYS.owner.apiKey, "signature", signature, ...typed, ...headers];
  return { method, target, headers: all, body, chunked };
}
