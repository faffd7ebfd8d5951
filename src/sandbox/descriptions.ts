import { asyncApiDocument, openApiDocument, type Service } from "../service/index.ts";
import { type WireRequest, type WireResponse, writeJson } from "../wire/index.ts";

/** Version of the interface. Source: contract, Versioning. */
const VERSION = "0.1.0";

/** Where a sandbox listens: base addresses of REST and of WebSocket, without a path. */
export type Addresses = Readonly<{ url: string; wsUrl: string }>;

type Handler = Pick<Service, "handle">;

/**
 * Serves the descriptions of the interfaces at `/openapi.json` and `/asyncapi.json`, to anybody, and everything else by
 * the service. They are written when they are first asked for. Source: decision AN.
 */
export function withDescriptions(service: Handler, addresses: () => Addresses): Handler {
  const pages = new Map([
    [
      "/openapi.json",
      once(() => writeJson(openApiDocument({ version: VERSION, serverUrl: addresses().url }))),
    ],
    [
      "/asyncapi.json",
      once(() => writeJson(asyncApiDocument({ version: VERSION, serverUrl: addresses().wsUrl }))),
    ],
  ]);
  return {
    async handle(request: WireRequest): Promise<WireResponse> {
      const page = request.method === "GET" ? pages.get(request.target) : undefined;
      return page === undefined ? await service.handle(request) : documentReply(page());
    },
  };
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const documentReply = (body: string): WireResponse => ({
  status: 200,
  headers: { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" },
  body,
});
