import assert from "node:assert/strict";
import ccxt from "ccxt";
import { isTime, newId } from "../checks.mjs";
import { streamCases } from "../market-cases.mjs";

export const name = "ccxt";
export const setup =
  '`new ccxt.binance({ apiKey, secret, options: { fetchMarkets: { types: ["spot"] }, fetchCurrencies: false, fetchMargins: false } })`, then `exchange.urls.api.public = exchange.urls.api.private = url + "/compat/api/v3"`';

/** Without them, ccxt asks other servers for currencies, margin pairs and futures. */
export const options = true;

const MARKET = "BTC/USD";

const OPTIONS = {
  enableRateLimit: false,
  options: { fetchMarkets: { types: ["spot"] }, fetchCurrencies: false, fetchMargins: false },
};

const withAddress = (exchange, { url }) => {
  exchange.urls.api.public = `${url}/compat/api/v3`;
  exchange.urls.api.private = `${url}/compat/api/v3`;
  return exchange;
};

export const open = ({ url, key, secret }) =>
  withAddress(new ccxt.binance({ apiKey: key, secret, ...OPTIONS }), { url });

const stop = (exchange) =>
  exchange.createOrder(MARKET, "STOP_LOSS", "sell", 0.001, undefined, {
    stopPrice: 50_000,
    clientOrderId: newId(),
  });

const isUnified = (order, status = "open") => {
  assert.equal(order.symbol, MARKET);
  assert.equal(order.status, status);
  assert.ok(order.id !== undefined && order.amount > 0);
  return order;
};

const places =
  (...request) =>
  async (exchange) =>
    isUnified(await exchange.createOrder(MARKET, ...request));

export const cases = {
  loadMarkets: async (exchange) => assert.equal((await exchange.loadMarkets())[MARKET].id, "BTCUSD"),
  fetchTime: async (exchange) => isTime(await exchange.fetchTime()),
  fetchOrderBook: async (exchange) =>
    assert.equal((await exchange.fetchOrderBook(MARKET, 5)).bids[0][0], 60_000),
  fetchTicker: async (exchange) => assert.equal((await exchange.fetchTicker(MARKET)).bid, 60_000),
  fetchTickers: async (exchange) => assert.equal((await exchange.fetchTickers([MARKET]))[MARKET].ask, 60_001),
  fetchLastPrices: async (exchange) =>
    assert.ok((await exchange.fetchLastPrices([MARKET]))[MARKET].price > 0),
  fetchBidsAsks: async (exchange) =>
    assert.equal((await exchange.fetchBidsAsks([MARKET]))[MARKET].bid, 60_000),
  "createOrder (limit)": places("limit", "buy", 0.001, 50_000),
  "createOrder (limit, postOnly)": places("limit", "buy", 0.001, 50_000, { postOnly: true }),
  "createOrder (limit, icebergQty)": places("limit", "buy", 0.002, 50_000, { icebergQty: "0.001" }),
  "createOrder (market)": async (exchange) =>
    isUnified(await exchange.createOrder(MARKET, "market", "buy", 0.001), "closed"),
  "createOrder (market, stopLossPrice)": places("market", "sell", 0.001, undefined, {
    stopLossPrice: 50_000,
  }),
  "createOrder (limit, stopLossPrice)": places("limit", "sell", 0.001, 49_900, { stopLossPrice: 50_000 }),
  "createOrder (market, takeProfitPrice)": places("market", "sell", 0.001, undefined, {
    takeProfitPrice: 70_000,
  }),
  "createOrder (limit, takeProfitPrice)": places("limit", "sell", 0.001, 69_900, { takeProfitPrice: 70_000 }),
  "createOrder (trailing)": places("STOP_LOSS", "sell", 0.001, undefined, { trailingDelta: 500 }),
  "createOrder ({ test: true })": async (exchange) => {
    assert.ok(await exchange.createOrder(MARKET, "limit", "buy", 0.001, 50_000, { test: true }));
  },
  createMarketOrderWithCost: async (exchange) =>
    isUnified(await exchange.createMarketOrderWithCost(MARKET, "buy", 100), "closed"),
  fetchOrder: async (exchange) => {
    const { id } = await stop(exchange);
    assert.equal(isUnified(await exchange.fetchOrder(id, MARKET)).id, id);
  },
  cancelOrder: async (exchange) => {
    const { id } = await stop(exchange);
    isUnified(await exchange.cancelOrder(id, MARKET), "canceled");
  },
  fetchOpenOrders: async (exchange) => {
    const { id } = await stop(exchange);
    assert.ok((await exchange.fetchOpenOrders(MARKET)).some((order) => order.id === id));
  },
  fetchOrders: async (exchange) => {
    const { id } = await stop(exchange);
    assert.ok((await exchange.fetchOrders(MARKET)).some((order) => order.id === id));
  },
  fetchClosedOrders: async (exchange) => assert.ok((await exchange.fetchClosedOrders(MARKET)).length > 0),
  fetchCanceledOrders: async (exchange) => assert.ok((await exchange.fetchCanceledOrders(MARKET)).length > 0),
  cancelAllOrders: async (exchange) => {
    await stop(exchange);
    assert.ok((await exchange.cancelAllOrders(MARKET)).length > 0);
    assert.deepEqual(await exchange.fetchOpenOrders(MARKET), []);
  },
  fetchBalance: async (exchange) => assert.ok((await exchange.fetchBalance()).USD.free > 0),
  fetchMyTrades: async (exchange) => {
    const { id } = await exchange.createOrder(MARKET, "market", "sell", 0.001);
    const trades = await exchange.fetchMyTrades(MARKET);
    assert.ok(trades.length > 0 && id !== undefined);
  },
  fetchOrderTrades: async (exchange) => {
    const { id } = await stop(exchange);
    assert.deepEqual(await exchange.fetchOrderTrades(id, MARKET), []);
  },
  editOrder: async (exchange) => {
    const { id } = await stop(exchange);
    const next = await exchange.editOrder(id, MARKET, "STOP_LOSS", "sell", 0.001, undefined, {
      stopPrice: 51_000,
      clientOrderId: newId(),
    });
    isUnified(next);
    isUnified(await exchange.fetchOrder(id, MARKET), "canceled");
  },
  fetchOHLCV: async (exchange) => {
    const [openTime, open, high, low, close, volume] = (await exchange.fetchOHLCV(MARKET, "1m")).findLast(
      (bar) => bar[5] > 0,
    );
    assert.equal(openTime % 60_000, 0);
    assert.ok(low <= open && open <= high && close > 0 && volume > 0);
  },
  fetchTrades: async (exchange) => {
    const trades = await exchange.fetchTrades(MARKET);
    assert.ok(trades.length > 0 && trades.every(({ symbol, price }) => symbol === MARKET && price > 0));
  },
};

export const cannot = {};

const watched =
  (method, ...more) =>
  async (address, listener) => {
    const exchange = withAddress(new ccxt.pro.binance(OPTIONS), address);
    exchange.urls.api.ws.spot = `${address.wsUrl}/compat/ws`;
    await exchange.loadHttpProxyAgent();
    const watch = async () => {
      for (;;) listener(await exchange[method](...more));
    };
    watch().catch(() => undefined);
    return () => exchange.close();
  };

export const streams = {
  setup:
    '`new ccxt.pro.binance(...)` as above, then `exchange.urls.api.ws.spot = wsUrl + "/compat/ws"`; for an address without TLS, ccxt also wants `await exchange.loadHttpProxyAgent()`',
  cases: streamCases({
    watchTrades: { open: watched("watchTrades", MARKET), check: (trades) => assert.ok(trades[0].price > 0) },
    watchOHLCV: { open: watched("watchOHLCV", MARKET, "1m"), check: (bars) => assert.ok(bars.at(-1)[4] > 0) },
    watchTicker: { open: watched("watchTicker", MARKET), check: ({ last }) => assert.ok(last > 0) },
    watchBidsAsks: {
      open: watched("watchBidsAsks", [MARKET]),
      check: (tickers) => assert.ok(tickers[MARKET].bid > 0),
    },
    watchOrderBook: {
      open: watched("watchOrderBook", MARKET),
      check: ({ bids }) => assert.ok(bids.length > 0 && bids[0][0] > 0),
    },
  }),
};
