import type { ErrorName } from "../../src/errors/index.ts";
import type { Accounts } from "../../src/ports/index.ts";
import type { RouteDescriptor } from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import { KEYS } from "../support/service-world.ts";
import type { Forge, SurfaceOptions, SurfaceWorld } from "./world.ts";

/** A request that is refused, and its error. */
export type Case = Readonly<{
  error: ErrorName;
  /** The cause, for the page. */
  how: string;
  /** Replaces some of the valid fields; undefined leaves one out. */
  fields?: RequestParameters;
  /** Replaces all valid fields. */
  only?: RequestParameters | ((world: SurfaceWorld) => RequestParameters);
  /** Only the second of two is refused. */
  twice?: true;
  forge?: Forge;
  /** Needs a separate world, of this kind. */
  world?: SurfaceOptions;
  /** An action before the request, in a separate world. */
  before?: (world: SurfaceWorld) => unknown;
  /** The interface, if the request exists on one only. */
  over?: "REST" | "WebSocket";
}>;

const failing: Accounts = {
  key: () => Promise.reject(new Error("the host's accounts are gone")),
  account: () => Promise.reject(new Error("the host's accounts are gone")),
};

/** Options of a guard with a limit that can be read, as the two checks do, and that fails when it is compared. */
function brokenGuard(): Readonly<{ generationMs: number }> {
  let reads = 0;
  const limit = {
    valueOf: (): number => {
      throw new Error("no limit");
    },
  };
  return {
    get generationMs() {
      return ++reads > 2 ? (limit as never) : 1_000;
    },
  };
}

const TIGHT: SurfaceOptions = { limits: { weightPerMinute: 20 } };

/** Uses up the weight of a minute, or continues until the address is banned. */
async function useUp(world: SurfaceWorld, until: "limit" | "ban"): Promise<void> {
  while ((await world.weigh()) !== until);
}

const everyRoute: readonly Case[] = [
  { error: "NOT_FOUND", how: "a wrong HTTP method", forge: { method: "PATCH" }, over: "REST" },
  {
    error: "INVALID_PARAMETER",
    how: "a method override header",
    forge: { headers: ["X-HTTP-Method-Override", "DELETE"] },
    over: "REST",
  },
  {
    error: "BODY_TOO_LARGE",
    how: "a body of 32,769 bytes",
    forge: { body: " ".repeat(32_769) },
    over: "REST",
  },
  {
    error: "TOO_MANY_REQUESTS",
    how: "the weight limit of a minute is reached",
    world: TIGHT,
    before: (world) => useUp(world, "limit"),
  },
  {
    error: "IP_BANNED",
    how: "further requests after the weight limit of a minute",
    world: TIGHT,
    before: (world) => useUp(world, "ban"),
  },
  {
    error: "DISCONNECTED",
    how: "a function of the host fails",
    world: {},
    before: (world) => world.failLimiter(),
  },
];

/** Errors of every route with parameters. */
const everyQuery: readonly Case[] = [
  {
    error: "DUPLICATE_PARAMETER",
    how: "the same parameter twice",
    forge: { raw: { query: "x=1&x=1", json: '"x":"1","x":"1"' } },
  },
  {
    error: "ILLEGAL_CHARS",
    how: "brackets in a name",
    forge: { raw: { query: "a[]=1", json: '"a[]":"1"' } },
  },
  {
    error: "TOO_MANY_PARAMETERS",
    how: "101 parameters",
    fields: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`p${index}`, "1"])),
  },
];

const aGet: readonly Case[] = [
  { error: "PARAMETER_NOT_REQUIRED", how: "a GET with a body", forge: { body: "{}" }, over: "REST" },
];

const aBody: readonly Case[] = [
  { error: "INVALID_JSON", how: "a truncated body", forge: { body: '{"symbol":"BTC/USD"' } },
  { error: "NESTED_JSON", how: "an object as a value", forge: { raw: { query: "", json: '"a":{}' } } },
];

/** Errors of every signed route. */
const everySigned: readonly Case[] = [
  {
    error: "BAD_API_KEY_FORMAT",
    how: "a key with a space",
    forge: { key: { apiKey: "two keys", secret: "s" } },
  },
  { error: "PARAMETER_MISSING", how: "no signature", forge: { signature: "" } },
  { error: "BAD_SIGNATURE", how: "a wrong signature", forge: { signature: "0".repeat(64) } },
  { error: "REJECTED_API_KEY", how: "an unknown key", forge: { key: KEYS.nobody } },
  { error: "TIMESTAMP_OUTSIDE", how: "a timestamp 5,001 ms old", forge: { stampMs: -5_001 } },
  { error: "TIMESTAMP_AHEAD", how: "a timestamp 1,000 ms ahead", forge: { stampMs: 1_000 } },
  { error: "BAD_RECV_WINDOW", how: "recvWindow 0", fields: { recvWindow: 0 } },
];

const everyOwned: readonly Case[] = [
  { error: "UNREAD_PARAMETER", how: "an unknown parameter", fields: { unknown: "1" } },
  { error: "UNAUTHORIZED", how: "another user's account", fields: { account: 2 } },
];

/** The host fails in an unforeseen way: a read reports the failure; after a write the outcome is unknown. */
const unforeseen = (error: "UNKNOWN" | "UNEXPECTED_RESPONSE"): Case => ({
  error,
  how: "the replay guard fails",
  world: {
    service: {
      // A new one for each world.
      get replayGuard() {
        return brokenGuard();
      },
    },
  },
});

/** The errors of a route that follow from how it is called. */
export function commonOf({ access, method }: Pick<RouteDescriptor, "access" | "method">): readonly Case[] {
  const bodied = method === "GET" ? aGet : method === "POST" ? aBody : [];
  if (access === "PUBLIC") return [...everyRoute, ...everyQuery, ...bodied];
  const gone: Case = {
    error: "DISCONNECTED",
    how: "the accounts port fails",
    world: { service: { accounts: failing } },
  };
  const own = [
    ...everySigned,
    ...everyOwned,
    gone,
    unforeseen(access === "TRADE" ? "UNEXPECTED_RESPONSE" : "UNKNOWN"),
  ];
  return [...everyRoute, ...everyQuery, ...bodied, ...own];
}

/** The same for acts of a connection. */
export function commonOfAct(access: RouteDescriptor["access"]): readonly Case[] {
  const messages = [...everyRoute.filter(({ over }) => over !== "REST"), ...everyQuery, ...aBody];
  const own = everyOwned.slice(0, 1);
  return access === "PUBLIC"
    ? [...messages, ...own]
    : [...messages, ...everySigned, ...everyOwned, unforeseen("UNKNOWN")];
}
