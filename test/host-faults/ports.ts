import type { RequestParameters } from "../../src/signing/index.ts";
import { reportedExecution } from "../support/native-world.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { call, type Reply, type requestOf } from "../support/service-world.ts";
import { TestClient } from "../support/socket-world.ts";
import { type FaultWorld, KEY } from "./world.ts";

/** A client's action that makes the service call a port. */
export type Act = (world: FaultWorld) => Promise<string | (() => string)>;

/** A port: the action that calls it, answers of the wrong type or out of range, and the columns that do not apply. */
export type Port = Readonly<{
  name: string;
  act: Act;
  wrong: unknown;
  range: unknown;
  /** A list with more entries than were asked for, of a port that returns a list. */
  long?: readonly unknown[];
  sync?: true;
  /** Events that the host sends unasked; sent to the engine after `act`. */
  says?: (world: FaultWorld, answer: unknown) => void;
  honest?: (world: FaultWorld) => unknown;
  /** Columns that do not apply, and why. */
  never?: Readonly<Record<string, string>>;
}>;

let nonces = 0;

const answer = ({ status, body }: Reply): string =>
  status === 200
    ? `200 ${String((body as { status?: unknown }).status ?? "")}`.trim()
    : `${status} ${String(body.code)}`;

const send = async (world: FaultWorld, ...request: Parameters<typeof requestOf>): Promise<string> =>
  answer(await call(world as never, ...request));

const post =
  (path: string, json: RequestParameters) =>
  (world: FaultWorld): Promise<string> =>
    send(world, "POST", path, { key: KEY, json, query: { nonce: `n${++nonces}` } });

const get =
  (path: string, query: RequestParameters): Act =>
  (world) =>
    send(world, "GET", path, { key: KEY, query: { ...query, timestamp: world.clock.nowMs() } });

const ORDER = { symbol: "BTC/USD", side: "BUY", quantity: "1" };
const limit = post("/api/order", { ...ORDER, type: "SYNTHETIC_LIMIT", price: "100" });
const exit = post("/api/order", {
  ...ORDER,
  side: "SELL",
  type: "STOP_MARKET",
  stopPrice: "90",
  reduceOnly: true,
});
/** Loses the append, so that the shard is read again. */
const failedAppend: Act = (world) => {
  const { host } = world;
  const append = host["store.append"];
  host["store.append"] = () => {
    if (append !== undefined) host["store.append"] = append;
    return Promise.reject(new Error("the words of the host"));
  };
  return limit(world);
};
/** Needs volumes, because it brings no profile of its own. */
const vwap: Act = (world) => {
  world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
  return post("/api/order", { ...ORDER, type: "VWAP", intervalCount: 2, interval: 60_000 })(world);
};

const native = post("/api/v2/order", { ...ORDER, type: "LIMIT", timeInForce: "GTC", price: "100" });

/** Cancels a resting order that was placed before the fault. */
const cancelsNative =
  (condition: Readonly<{ cancelRestrictions?: "ONLY_NEW" }> = {}): Act =>
  (world) =>
    send(world, "DELETE", "/api/v2/order", {
      key: KEY,
      query: { symbol: "BTC/USD", orderId: "9007199254740993", ...condition, nonce: `n${++nonces}` },
    });
const cancelNative = cancelsNative();
const cancelNativeIf = cancelsNative({ cancelRestrictions: "ONLY_NEW" });

/** Triggers an order, so that a child goes out; returns the order as a reader sees it afterwards. */
const trade = async (world: FaultWorld): Promise<string> => {
  const [placed] = await Promise.all([limit(world)]);
  world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
  return placed;
};

const lost =
  (then: (world: FaultWorld) => void): Act =>
  async (world) => {
    world.venue.onSubmit = () => "silence";
    const answer = await trade(world);
    then(world);
    return answer;
  };

/** Triggers an order whose child is open at the venue. */
const inFlight: Act = (world) => {
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  return trade(world);
};

/** Listens to the private stream meanwhile; returns its messages. */
const listening =
  (act: (world: FaultWorld) => Promise<unknown>): Act =>
  async (world) => {
    const client = new TestClient(world as never);
    await client.ask("userDataStream.subscribe.signature", {}, { key: KEY });
    await act(world);
    await world.engine.idle();
    return () => `stream: ${client.events.map(({ e }) => String(e)).join(", ") || "nothing"}`;
  };

const childOf = (world: FaultWorld): string => world.venue.submitted[0]?.childId ?? "";

const EVENTS: readonly Port[] = [
  {
    name: "venue events",
    act: inFlight,
    says: (world, answer) => world.venue.say(answer as never),
    honest: (world) => reported(childOf(world), "closed", [fillOf({ quantity: "1", id: "one" })]),
    wrong: "closed",
    range: (world: FaultWorld) => ({
      childId: childOf(world),
      state: "closed",
      fills: [{ ...fillOf({ quantity: "1" }), quantity: -1 }],
    }),
  },
  {
    name: "quotes",
    act: limit,
    says: (world, answer) => void world.engine.market.quote(answer as never),
    honest: () => ({ symbol: "BTC/USD", bid: "99", ask: "100" }),
    wrong: "60000",
    range: () => ({ symbol: "BTC/USD", bid: "-1", ask: "10000000000" }),
  },
  {
    name: "prints",
    act: limit,
    says: (world, answer) => world.engine.market.print(answer as never),
    honest: (world) => ({
      symbol: "BTC/USD",
      price: "100",
      quantity: "1",
      id: "p",
      timeMs: world.clock.nowMs(),
    }),
    wrong: "60000",
    range: () => ({ symbol: "BTC/USD", price: "-1", quantity: "1000000000000", id: "p", timeMs: -1 }),
  },
  {
    name: "native executions",
    act: listening(async () => undefined),
    says: (world, answer) => world.notifyNative(answer),
    honest: () => reportedExecution(),
    wrong: "TRADE",
    range: () => ({ ...reportedExecution(), lastQuantity: -1 }),
  },
  {
    name: "account events",
    act: listening(async () => undefined),
    says: (world, answer) => world.notifyAccount(answer),
    honest: (world) => ({ accountId: 1, update: updateOf(world) }),
    wrong: "DEPOSIT",
    range: (world: FaultWorld) => ({ accountId: -1, update: updateOf(world) }),
  },
];

const updateOf = ({ clock }: FaultWorld): unknown => ({
  reason: "DEPOSIT",
  timeMs: clock.nowMs(),
  balances: [{ asset: "USD", wallet: "1", change: "1" }],
  positions: [],
});

const UNASKED = "the engine expects no answer";

/** More entries than any list of a host may have. */
const TOO_MANY: readonly unknown[] = Array.from({ length: 10_001 }, () => ({}));

export const PORTS: readonly Port[] = [
  ...EVENTS,
  {
    name: "accountEvents.afterFill",
    act: listening(trade),
    wrong: "text",
    range: { reason: "ORDER", timeMs: -1, balances: [], positions: [] },
    sync: true,
  },
  {
    name: "rateLimiter.returnOrders",
    act: post("/api/order", { ...ORDER, type: "SYNTHETIC_LIMIT", price: "1" }),
    wrong: "text",
    range: { per10s: -1, perDay: 0 },
  },
  {
    name: "events.listener",
    act: limit,
    wrong: "text",
    range: -1,
    never: { "wrong type": UNASKED, "out of range": UNASKED },
  },
  {
    name: "accounts.key",
    act: limit,
    wrong: "text",
    range: { ...KEY, userId: -1, accountId: 1, permissions: [], ipAllowlist: [] },
  },
  {
    name: "accounts.account",
    act: limit,
    wrong: "text",
    range: { accountId: 2, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
  },
  { name: "instruments.resolve", act: limit, wrong: "text", range: { id: -1 }, sync: true },
  { name: "instruments.find", act: limit, wrong: "text", range: { id: -1 }, sync: true },
  { name: "exposure.position", act: exit, wrong: "1", range: 10n ** 36n },
  {
    name: "volumeHistory.minutes",
    act: vwap,
    wrong: "text",
    range: [{ symbol: "BTC/USD", minuteMs: 0, quantity: 1 }],
  },
  { name: "rateLimiter.weigh", act: limit, wrong: "text", range: { used: -1 } },
  {
    name: "rateLimiter.takeOrders",
    act: limit,
    wrong: "text",
    range: { counts: { per10s: -1, perDay: 0 }, takenAtMs: 0 },
  },
  {
    name: "native.findRequest",
    act: native,
    wrong: "text",
    range: { order: { orderId: 2n ** 64n }, fills: [], created: true },
  },
  {
    name: "native.place",
    act: native,
    wrong: "text",
    range: { order: { orderId: 2n ** 64n }, fills: [], created: true },
  },
  { name: "native.cancel", act: cancelNative, wrong: "text", range: { orderId: 2n ** 64n } },
  { name: "native.cancelIf", act: cancelNativeIf, wrong: "text", range: { orderId: 2n ** 64n } },
  {
    name: "native.find",
    act: get("/api/v2/order", { symbol: "BTC/USD", orderId: "7" }),
    wrong: "text",
    range: { orderId: 2n ** 64n },
  },
  {
    name: "native.page",
    act: get("/api/v2/allOrders", { symbol: "BTC/USD" }),
    wrong: "text",
    range: [{ orderId: -1n }],
    long: TOO_MANY,
  },
  {
    name: "native.open",
    act: get("/compat/api/v3/openOrders", { symbol: "BTCUSD" }),
    wrong: "text",
    range: [{ orderId: -1n }],
    long: TOO_MANY,
  },
  {
    name: "native.executions",
    act: get("/api/v2/order", { symbol: "BTC/USD", orderId: "7" }),
    wrong: "text",
    range: [{ order: { orderId: -1n } }],
    long: TOO_MANY,
  },
  {
    name: "balances.balances",
    act: get("/compat/api/v3/account", {}),
    wrong: "text",
    range: [{ asset: "USD", free: "1e9", locked: "0" }],
    long: TOO_MANY,
  },
  {
    name: "rejections.list",
    act: get("/api/v2/order", { symbol: "BTC/USD", origClientOrderId: "none" }),
    wrong: "text",
    range: [{ accountId: 2 }],
  },
  {
    name: "rejections.retain",
    act: post("/api/order", { ...ORDER, type: "SYNTHETIC_LIMIT", price: "1" }),
    wrong: "text",
    range: -1,
  },
  { name: "entropy.token", act: limit, wrong: 7, range: "x", sync: true },
  { name: "clock.nowMs", act: limit, wrong: "text", range: Number.NaN, sync: true },
  { name: "clock.monotonicMs", act: limit, wrong: "text", range: Number.NaN, sync: true },
  { name: "telemetry.event", act: limit, wrong: "text", range: -1 },
  { name: "store.append", act: limit, wrong: "text", range: ["lost"] },
  {
    name: "store.fence",
    act: failedAppend,
    wrong: "done",
    range: -1,
    never: { "wrong type": "the engine expects no answer", "out of range": "the engine expects no answer" },
  },
  { name: "store.findEnded", act: limit, wrong: "text", range: { orderId: 1 } },
  {
    name: "venue.submit",
    act: trade,
    wrong: "done",
    range: { childId: "aqc-1-1-1", state: "closed", fills: [] },
  },
  { name: "venue.lookup", act: lost(() => undefined), wrong: "done", range: { notFoundAtMs: -1 } },
  { name: "venue.voidChild", act: lost(() => undefined), wrong: "done", range: { childId: "aqc-1-1-1" } },
  { name: "venue.venueTimeMs", act: lost(() => undefined), wrong: "noon", range: -1 },
];
