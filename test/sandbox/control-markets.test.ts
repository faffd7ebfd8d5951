import { expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { answerControl } from "../../src/sandbox/control-routes.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import type { JsonValue } from "../../src/wire/index.ts";
import { START_MS } from "./venue-world.ts";

const ACCOUNT = 7;
/** Neither an alias nor a misspelt name is the market that an order is compared with. */
const NOT_A_MARKET = ["BTCUSD", "btc/usd", "XRP/USD"];

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

const post = (exchange: Exchange, path: string, body: JsonValue): Promise<unknown> =>
  answerControl(exchange, { method: "POST", path: path.split("/"), query: new Map(), body });

const setup = (apiKey: string, restricted: JsonValue): JsonValue => ({
  ...{ accountId: ACCOUNT, apiKey, secret: "secret", permissions: ["READ", "TRADE"] },
  ...{ enableDataSharing: true, restricted },
});

it.each(NOT_A_MARKET)("an account cannot be restricted on %s, and stays as it was", async (symbol) => {
  const exchange = await open();
  await post(exchange, "accounts", setup("first", ["ETH/USD"]));
  await expect(post(exchange, "accounts", setup("second", ["ETH/USD", symbol]))).rejects.toThrow(
    `restricted: unknown instrument ${symbol}`,
  );
  expect(exchange.directory.describe(ACCOUNT)).toMatchObject({ apiKey: "first", restricted: ["ETH/USD"] });
});

it.each(NOT_A_MARKET)("a fault of the venue cannot be limited to %s", async (symbol) => {
  const exchange = await open();
  await expect(post(exchange, "faults", { venue: { mode: "reject", symbol } })).rejects.toThrow(
    `symbol: unknown instrument ${symbol}`,
  );
  await post(exchange, "faults", { venue: { mode: "reject", symbol: "BTC/USD" } });
});
