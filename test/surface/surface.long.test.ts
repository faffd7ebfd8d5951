import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERRORS, type ErrorName } from "../../src/errors/index.ts";
import { METHODS, ROUTES, type RouteDescriptor } from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import type { JsonObject, Parameters } from "../../src/wire/index.ts";
import type { RawRequest } from "../support/raw-http.ts";
import { type Case, commonOf, commonOfAct } from "./common-errors.ts";
import { LIST_ERRORS } from "./list-errors.ts";
import { PLACEMENT_ERRORS } from "./order-errors.ts";
import { emptyCells, type SurfaceRow, surfacePage } from "./page.ts";
import { ACT_ERRORS, READ_ERRORS } from "./read-errors.ts";
import { ACTS, WORKS, type Works } from "./works.ts";
import {
  bodyOf,
  openLine,
  openSurface,
  PERMITTED,
  requestOf,
  type SurfaceRequest,
  type SurfaceWorld,
} from "./world.ts";

let usual: SurfaceWorld;

beforeAll(async () => {
  usual = await openSurface();
});

afterAll(() => usual.close());

const SPECIFIC = { ...READ_ERRORS, ...PLACEMENT_ERRORS, ...LIST_ERRORS };

/** One case for each error; a route's own cases come before the common ones. */
function casesOf(specific: readonly Case[], common: readonly Case[]): readonly Case[] {
  return [...new Map([...common, ...specific].map((one) => [one.error, one])).values()];
}

/** The findings, in the order of the tables. */
const ofRoutes: SurfaceRow[] = [];
const ofMethods: SurfaceRow[] = [];

function expectError(
  answer: Readonly<{ status: unknown; code: unknown; msg: unknown }>,
  error: ErrorName,
): void {
  const { status, code, text } = ERRORS[error];
  expect(answer).toMatchObject({ status, code });
  const pattern = text
    .split(/\{\w+\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
  expect(answer.msg).toMatch(new RegExp(`^${pattern}$`));
}

function expectMembers(body: unknown, { members }: Works): void {
  const shown = Array.isArray(body) ? body[0] : body;
  if (members.length > 0) expect(Object.keys(shown)).toEqual(expect.arrayContaining([...members]));
}

/** Runs in the world that a case needs. */
async function inWorld(one: Case, run: (world: SurfaceWorld) => Promise<void>): Promise<void> {
  if (one.world === undefined) return await run(usual);
  const own = await openSurface(one.world);
  try {
    await run(own);
  } finally {
    await own.close();
  }
}

async function requestedOf(world: SurfaceWorld, works: Works, one: Case): Promise<SurfaceRequest> {
  const only = typeof one.only === "function" ? one.only(world) : one.only;
  const fields: RequestParameters = { ...(only ?? (await works.fields(world))), ...one.fields };
  return { fields, ...(one.forge && { forge: one.forge }) };
}

/** The permission to which the results with single-permission keys refer. */
function needsOf(outcomes: Readonly<Record<"READ" | "TRADE" | "none", boolean>>): string {
  const enough = Object.entries(outcomes).filter(([, done]) => done);
  return enough.length === 3 ? "no key" : enough.map(([permission]) => permission).join(" or ");
}

const KEYS_TRIED = ["READ", "TRADE", "none"] as const;

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  "%s",
  (address, route) => {
    const works = WORKS[route.name];
    const found: SurfaceRow = { name: route.name, address, errors: new Map() };
    ofRoutes.push(found);

    const send = async (world: SurfaceWorld, requested: SurfaceRequest) =>
      await world.rest(requestOf(world, route, requested));

    it("works, has the weight of its row, and counts its orders", async () => {
      const numbers: number[] = [];
      for (let round = 0; round < 2; round++) {
        const fields = await works.fields(usual);
        const before = await usual.rest({ method: "GET", target: "/api/ping" });
        const answer = await send(usual, { fields });
        expect([answer.status, answer.body]).toEqual([200, expect.stringMatching(/^[{[]/)]);
        expectMembers(bodyOf(answer), works);
        const used = (of: typeof answer): number => Number(of.headers.get("x-mbx-used-weight-1m"));
        expect(answer.headers.get("x-mbx-used-weight")).toBe(answer.headers.get("x-mbx-used-weight-1m"));
        found.weight = String(used(answer) - used(before));
        expect(Number(found.weight)).toBe(weightOf(route, fields));
        numbers.push(Number(answer.headers.get("x-mbx-order-count-10s") ?? 0));
      }
      found.orders = Number(numbers[1]) - Number(numbers[0]);
      expect(found.orders).toBe(works.orders);
      found.answers = works.answers;
    });

    it("needs the permission of its row", async () => {
      const outcomes = { READ: true, TRADE: true, none: true };
      for (const permission of route.access === "PUBLIC" ? [] : KEYS_TRIED) {
        const fields = await works.fields(usual);
        const answer = await send(usual, { fields, forge: { key: PERMITTED[permission] } });
        outcomes[permission] = answer.status === 200;
        if (!outcomes[permission]) {
          expectError(
            { status: answer.status, ...(bodyOf(answer) as { code: number; msg: string }) },
            "REJECTED_API_KEY",
          );
        }
      }
      found.needs = needsOf(outcomes);
      expect(found.needs).toBe(route.access === "PUBLIC" ? "no key" : route.access);
    });

    const cases = casesOf(SPECIFIC[route.name] ?? [], commonOf(route)).filter(
      ({ over }) => over !== "WebSocket",
    );

    it.each(cases.map((one) => [one.error, one.how, one] as const))("%s: %s", (error, how, one) =>
      inWorld(one, async (world) => {
        const requested = await requestedOf(world, works, one);
        await one.before?.(world);
        const answer = await send(world, requested);
        const body = bodyOf(answer) as JsonObject & { code: number; msg: string };
        expectError({ status: answer.status, ...body }, error);
        expect(Object.keys(body).slice(0, 3)).toEqual(["code", "msg", "error"]);
        expect(body.retryAfter).toBe(answer.headers.get("retry-after"));
        found.errors.set(error, how);
      }),
    );
  },
);

/** The weight of a route for some fields. */
function weightOf({ weight }: RouteDescriptor, fields: RequestParameters): number {
  if (typeof weight === "number") return weight;
  return weight(sentOf(fields));
}

/** Parameters as they arrive. */
const sentOf = (fields: RequestParameters): Parameters =>
  new Map(Object.entries(fields).map(([name, value]) => [name, { text: String(value), kind: "text" }]));

const MANAGED = { apiManaged: true };

it.each<readonly [string, RequestParameters, number, string]>([
  ["/api/depth", { symbol: "BTC/USD", limit: 101 }, 25, "above 100"],
  ["/api/depth", { symbol: "BTC/USD", limit: 501 }, 50, "above 500"],
  ["/api/depth", { symbol: "BTC/USD", limit: 1_001 }, 250, "above 1000"],
  ["/api/ticker/24hr", {}, 80, "without symbol"],
  ["/api/v2/allOrders", { symbol: "BTC/USD", limit: 501 }, 40, "above 500"],
  ["/api/v2/getOrderHistory", { symbol: "BTC/USD", limit: 501 }, 40, "above 500"],
  ["/api/v3/openOrders", { ...MANAGED, limit: 101 }, 12, "above 100"],
  ["/api/v3/openOrders", { ...MANAGED, limit: 1_000 }, 60, "for 1000"],
  ["/api/v3/openOrderList", { limit: 501 }, 12, "above 500"],
  ["/api/v3/allOrderList", { limit: 501 }, 40, "above 500"],
])("the weight of %s with %j is %d", async (path, fields, weight, when) => {
  const address = `GET ${path}`;
  const route = ROUTES.find((one) => `${one.method} ${one.path}` === address) as RouteDescriptor;
  const used = async (request: RawRequest): Promise<number> =>
    Number((await usual.rest(request)).headers.get("x-mbx-used-weight-1m"));
  const before = await used({ method: "GET", target: "/api/ping" });
  expect((await used(requestOf(usual, route, { fields }))) - before).toBe(weight);
  const found = ofRoutes.find((one) => one.address === address);
  if (found !== undefined) found.weight = `${found.weight}, ${weight} ${when}`;
});

const METHOD_NAMES = METHODS.flatMap((method) =>
  [method.name, ...method.aliases].map((name) => [name, method] as const),
);

describe.each(METHOD_NAMES)("WebSocket %s", (address, method) => {
  const works = "route" in method ? WORKS[method.route.name as keyof typeof WORKS] : ACTS[method.act];
  const found: SurfaceRow = {
    name: "route" in method ? method.route.name : method.name,
    address,
    errors: new Map(),
  };
  ofMethods.push(found);
  const isSubscribing = "act" in method && method.act.startsWith("subscribe");

  it("works, has the weight of its row, and counts its orders", async () => {
    const numbers: number[] = [];
    for (let round = 0; round < 2; round++) {
      const line = await openLine(usual);
      const requested = { fields: await works.fields(usual) };
      const due = typeof method.weight === "number" ? method.weight : method.weight(sentOf(requested.fields));
      const before = await line.ask("session.subscriptions", { fields: {} });
      const reply = await line.ask(address, requested);
      expect(reply).toMatchObject({ status: 200 });
      expectMembers(reply.result, works);
      found.weight = String(countOf(reply, "REQUEST_WEIGHT") - countOf(before, "REQUEST_WEIGHT"));
      expect(Number(found.weight)).toBe(due);
      numbers.push(countOf(reply, "ORDERS"));
      line.close();
    }
    found.orders = Number(numbers[1]) - Number(numbers[0]);
    expect(found.orders).toBe(works.orders);
    found.answers = works.answers;
  });

  it("needs the permission of its row", async () => {
    const outcomes = { READ: true, TRADE: true, none: true };
    for (const permission of method.access === "PUBLIC" ? [] : KEYS_TRIED) {
      const line = await openLine(usual);
      const fields = await works.fields(usual);
      const reply = await line.ask(address, { fields, forge: { key: PERMITTED[permission] } });
      outcomes[permission] = reply.status === 200;
      if (!outcomes[permission]) expectError({ status: reply.status, ...errorOf(reply) }, "REJECTED_API_KEY");
      line.close();
    }
    found.needs = needsOf(outcomes);
    expect(found.needs).toBe(method.access === "PUBLIC" ? "no key" : method.access);
  });

  const cases =
    "route" in method
      ? casesOf(SPECIFIC[method.route.name as keyof typeof SPECIFIC] ?? [], commonOf(method.route))
      : casesOf(ACT_ERRORS[method.act], commonOfAct(method.access));

  it.each(cases.filter(({ over }) => over !== "REST").map((one) => [one.error, one.how, one] as const))(
    "%s: %s",
    (error, how, one) =>
      inWorld(one, async (world) => {
        const line = await openLine(world);
        const requested = await requestedOf(world, works, one);
        await one.before?.(world);
        if (one.twice === true && isSubscribing)
          expect(await line.ask(address, requested)).toMatchObject({ status: 200 });
        const reply = await line.ask(address, requested);
        line.close();
        expectError({ status: reply.status, ...errorOf(reply) }, error);
        expect(Object.keys(reply).slice(0, 3)).toEqual(["id", "status", "error"]);
        found.errors.set(error, how);
      }),
  );
});

const errorOf = ({ error }: JsonObject): { code: number; msg: string } =>
  error as { code: number; msg: string };

/** Returns the used part of a limit in a reply; for orders, that of the ten seconds. */
function countOf({ rateLimits }: JsonObject, type: string): number {
  const items = rateLimits as readonly { rateLimitType: string; count: number }[];
  return items.find(({ rateLimitType }) => rateLimitType === type)?.count ?? 0;
}

/** Errors that no route or method answers with, each with its reason. */
const ELSEWHERE: Readonly<Partial<Record<ErrorName, string>>> = {
  TOO_MANY_CONNECTIONS: "of the upgrade request: test/service/socket/limits.long.test.ts",
  TOO_MANY_STREAMS: "of the upgrade request and of control frames: test/service/socket/stream-places.test.ts",
  TIMEOUT: "of a host that answers so itself: this service never makes a client wait for an outcome",
  REQUEST_TIMEOUT: "of a request that does not arrive: hostile 52",
  SIGNATURE_REUSED: "of signed bytes that were sent for something else before: hostile 20, 21",
  BAD_KLINE_INTERVAL: "of klines for existing clients: test/service/rest/compat/market-history.long.test.ts",
  UNKNOWN_METHOD: "of an unknown method: hostile 45",
  INVALID_REQUEST_ID: "of a message without an id: hostile 94",
  INVALID_PARAMS: "of a message whose params are not an object: hostile 58",
  SHARD_ELSEWHERE: "a name in process; DISCONNECTED on the wire: test/cluster/shared-shards.long.test.ts",
  SHARD_FENCED: "a name in process; DISCONNECTED on the wire: test/engine/fencing.test.ts",
  ENGINE_CLOSED: "a name in process; DISCONNECTED on the wire: test/engine/closing.test.ts",
  ADVANCED_ORDERS_OFF:
    "a name in process; UNSUPPORTED_OPERATION on the wire: test/engine/availability.test.ts",
  UNKNOWN_ACCOUNT: "a name in process; ACCOUNT_DISABLED on the wire: test/engine/availability.test.ts",
  TOO_MANY_SUBSCRIPTIONS: "of the 1,001st subscription: test/service/socket/subscriptions.test.ts",
};

it.each([
  ["depth", { symbol: "BTC/USD", limit: 101 }, 25, "above 100"],
  ["depth", { symbol: "BTC/USD", limit: 501 }, 50, "above 500"],
  ["depth", { symbol: "BTC/USD", limit: 1_001 }, 250, "above 1000"],
  ["ticker.24hr", {}, 80, "without symbol"],
  ["ticker.price", {}, 4, "without symbol"],
  ["ticker.book", {}, 4, "without symbol"],
  ["allOrders", { symbol: "BTC/USD", limit: 501 }, 40, "above 500"],
  ["getOrderHistory", { symbol: "BTC/USD", limit: 501 }, 40, "above 500"],
  ["openOrders.status", { ...MANAGED, limit: 101 }, 12, "above 100"],
  ["openOrders.status", { ...MANAGED, limit: 1_000 }, 60, "for 1000"],
  ["openOrderLists.status", { limit: 501 }, 12, "above 500"],
  ["allOrderLists", { limit: 501 }, 40, "above 500"],
] as const)("the weight of the method %s with %j is %d", async (name, fields, weight, when) => {
  const line = await openLine(usual);
  const before = countOf(await line.ask("session.subscriptions", { fields: {} }), "REQUEST_WEIGHT");
  const after = countOf(await line.ask(name, { fields }), "REQUEST_WEIGHT");
  line.close();
  expect(after - before).toBe(weight);
  const found = ofMethods.find(({ address }) => address === name);
  if (found !== undefined) found.weight = `${found.weight}, ${weight} ${when}`;
});

describe("the table", () => {
  it("every error is answered by a route or a method, or has a reason", () => {
    const seen = new Set([...ofRoutes, ...ofMethods].flatMap(({ errors }) => [...errors.keys()]));
    expect(
      Object.keys(ERRORS)
        .filter((name) => !seen.has(name as ErrorName))
        .sort(),
    ).toEqual(Object.keys(ELSEWHERE).sort());
  });

  it("docs/surface.md contains the findings, without an empty cell; `npm run docs:update test/surface/surface` rewrites it", async () => {
    const page = surfacePage(ofRoutes, ofMethods);
    expect(emptyCells(page)).toEqual([]);
    await expect(page).toMatchFileSnapshot("../../docs/surface.md");
  });
});
