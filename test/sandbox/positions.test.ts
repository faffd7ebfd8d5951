import { expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { type ListFields, listIntent, type OrderFields } from "../../src/requests/index.ts";
import { answerControl } from "../../src/sandbox/control-routes.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import type { JsonValue } from "../../src/wire/index.ts";
import { START_MS } from "./venue-world.ts";

const ACCOUNT = 7;
const SYMBOL = "BTC/USD";

async function open(): Promise<Exchange> {
  const env = { STORE: "memory:", MARKET: "manual", CLOCK: "manual", CLOCK_START: String(START_MS) };
  const exchange = await openExchange(readSettings({ env, argv: [] }), {
    realClock: createSystemClock(),
    entropy: createEntropy(),
    telemetry: { event: () => undefined },
  });
  onTestFinished(() => exchange.close());
  return exchange;
}

const control = (exchange: Exchange, method: string, path: string, body?: JsonValue): Promise<unknown> =>
  answerControl(exchange, { method, path: path.split("/"), query: new Map(), body });

const setup = (more: JsonValue): JsonValue =>
  Object.assign(
    { accountId: ACCOUNT, apiKey: "key", secret: "secret", permissions: ["TRADE"], enableDataSharing: true },
    more,
  );

const STOP = { type: "STOP_MARKET", stopPrice: "100" };

/** Places a reduce-only order, a BUY by default. */
async function reduce(exchange: Exchange, fields: Readonly<Record<string, string>>): Promise<number> {
  const order = { symbol: SYMBOL, side: "BUY", reduceOnly: true, ...fields } as unknown as OrderFields;
  const placed = await exchange.engine.place({ accountId: ACCOUNT, order });
  return placed.order.orderId;
}

const quote = (exchange: Exchange, askQuantity: string): Promise<unknown> =>
  control(exchange, "POST", "quotes", { symbol: SYMBOL, bid: "99", ask: "100", askQuantity });

const positions = async (exchange: Exchange): Promise<unknown> =>
  ((await control(exchange, "GET", `accounts/${ACCOUNT}`)) as { positions: unknown }).positions;

it("POST /control/accounts accepts positions, GET shows them, leaving them out keeps them", async () => {
  const exchange = await open();
  const balances = { USD: "1000" };
  const set = await control(
    exchange,
    "POST",
    "accounts",
    setup({ balances, positions: { [SYMBOL]: "-1.50" } }),
  );
  expect(set).toMatchObject({ balances, positions: { [SYMBOL]: "-1.5" } });
  await control(exchange, "POST", "accounts", setup({}));
  expect(await positions(exchange)).toEqual({ [SYMBOL]: "-1.5" });
  await control(exchange, "POST", "accounts", setup({ positions: {} }));
  expect(await positions(exchange)).toEqual({});
  for (const wrong of [{ "XRP/USD": "1" }, { [SYMBOL]: "much" }, { [SYMBOL]: "0.1234567" }]) {
    const other = setup({ positions: wrong, accountId: 8, apiKey: "other" });
    await expect(control(exchange, "POST", "accounts", other)).rejects.toThrow(/^positions/);
    await expect(control(exchange, "GET", "accounts/8")).rejects.toThrow("account 8 does not exist");
  }
});

it("I13: BUY reduce-only orders close a short position together, in parts, and never reverse it", async () => {
  const exchange = await open();
  const account = setup({ balances: { USD: "100000" }, positions: { [SYMBOL]: "-2" } });
  await control(exchange, "POST", "accounts", account);
  const ids = [
    await reduce(exchange, { ...STOP, newClientOrderId: "a", quantity: "1.5" }),
    await reduce(exchange, { ...STOP, newClientOrderId: "b", quantity: "1.5" }),
    await reduce(exchange, { newClientOrderId: "c", type: "SYNTHETIC_LIMIT", price: "100", quantity: "5" }),
  ];
  for (let n = 0; n < 30; n++) {
    await quote(exchange, "0.3");
    await control(exchange, "POST", "clock", { advanceMs: 1_000 });
  }
  expect(await positions(exchange)).toEqual({ [SYMBOL]: "0" });
  const orders = await Promise.all(
    ids.map((orderId) => exchange.engine.find({ accountId: ACCOUNT, orderId })),
  );
  const executed = orders.map((order) => Number(order?.executedQuantity));
  expect(executed.reduce((sum, one) => sum + one, 0)).toBe(2_000_000);
  const refused = reduce(exchange, { ...STOP, newClientOrderId: "d", quantity: "1" });
  await expect(refused).rejects.toMatchObject({ code: -2022 });
  expect((await exchange.engine.verify()).equal).toBe(true);
});

it("a short position from an entry is reduced by its exits, a SELL reduce-only is refused", async () => {
  const exchange = await open();
  await control(
    exchange,
    "POST",
    "accounts",
    setup({ balances: { USD: "100000", BTC: "5" }, positions: { [SYMBOL]: "-1" } }),
  );
  const sell = { ...STOP, side: "SELL", newClientOrderId: "s", quantity: "1" } as const;
  await expect(reduce(exchange, sell)).rejects.toMatchObject({ code: -2022 });
  const fields: ListFields["oco"] = {
    symbol: SYMBOL,
    listClientOrderId: "exit",
    side: "BUY",
    quantity: "1",
    aboveType: "STOP_LOSS",
    aboveStopPrice: "110",
    aboveReduceOnly: true,
    aboveClientOrderId: "stop",
    belowType: "LIMIT",
    belowPrice: "100",
    belowReduceOnly: true,
    belowClientOrderId: "profit",
  };
  await exchange.engine.placeList({ accountId: ACCOUNT, list: listIntent("oco", fields) });
  await quote(exchange, "4");
  expect(await positions(exchange)).toEqual({ [SYMBOL]: "0" });
});
