import { asyncApiDocument, openApiDocument } from "../service/index.ts";
import { writeJson } from "../wire/index.ts";

/** Version of the interface. Source: contract, Versioning. */
const VERSION = "0.1.0";

/** Base addresses of a sandbox's REST and WebSocket interfaces, without a path. */
export type Addresses = Readonly<{ url: string; wsUrl: string }>;

/** Returns the public descriptions of the interfaces by path. Source: decision AN. */
export const descriptionsOf = (addresses: () => Addresses): Readonly<Record<string, () => string>> => ({
  "/openapi.json": () => writeJson(openApiDocument({ version: VERSION, serverUrl: addresses().url })),
  "/asyncapi.json": () => writeJson(asyncApiDocument({ version: VERSION, serverUrl: addresses().wsUrl })),
});
