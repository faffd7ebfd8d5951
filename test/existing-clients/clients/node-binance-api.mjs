import assert from "node:assert/strict";
import nodeBinance from "node-binance-api";
import { hasOrder, isMarket, isOrder, isTime, newId, ORDERS, SYMBOL } from "../checks.mjs";

export const name = "node-binance-api";
export const setup = '`new Binance({ APIKEY, APISECRET, urls: { base: url + "/compat/api/" } })`';

const Client = nodeBinance.default ?? nodeBinance;

export const open = ({ url, key, secret }) =>
  new Client({ APIKEY: key, APISECRET: secret, urls: { base: `${url}/compat/api/` } });

const place = (client, { type, side, quantity, price, timeInForce, ...rest }) =>
  client.order(type, side, SYMBOL, quantity, price, { ...rest, newClientOrderId: newId() });
const placed = (client) => place(client, ORDERS.STOP_LOSS);

export const cases = {
  ping: async (client) => assert.deepEqual(await client.ping(), {}),
  time: async (client) => isTime((await client.time()).serverTime),
  useServerTime: async (client) => isTime((await client.useServerTime()).serverTime),
  exchangeInfo: async (client) => isMarket(await client.exchangeInfo()),
  depth: async (client) => assert.equal(Number((await client.depth(SYMBOL, 5)).bids[0].price), 60_000),
  avgPrice: async (client) => assert.ok(Number((await client.avgPrice(SYMBOL)).price) > 0),
  prices: async (client) => assert.ok(Number((await client.prices())[SYMBOL]) > 0),
  bookTickers: async (client) => assert.ok(Number((await client.bookTickers())[SYMBOL].bidPrice) > 0),
  prevDay: async (client) => assert.equal((await client.prevDay(SYMBOL)).symbol, SYMBOL),
  ticker24h: async (client) => assert.equal((await client.ticker24h(SYMBOL)).symbol, SYMBOL),
  dailyStats: async (client) => assert.equal((await client.dailyStats(SYMBOL)).symbol, SYMBOL),
  "order with { test: true }": async (client) => {
    const { type, side, quantity, stopPrice } = ORDERS.STOP_LOSS;
    assert.deepEqual(
      await client.order(type, side, SYMBOL, quantity, undefined, { stopPrice, test: true }),
      {},
    );
  },
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([type, order]) => [
      `order (${type})`,
      async (client) => isOrder(await place(client, order), { type }),
    ]),
  ),
  buy: async (client) => isOrder(await client.buy(SYMBOL, 0.001, 50_000), { type: "LIMIT" }),
  sell: async (client) => isOrder(await client.sell(SYMBOL, 0.001, 70_000), { type: "LIMIT" }),
  marketBuy: async (client) =>
    isOrder(await client.marketBuy(SYMBOL, 0.001), { type: "MARKET", status: "FILLED" }),
  marketSell: async (client) =>
    isOrder(await client.marketSell(SYMBOL, 0.001), { type: "MARKET", status: "FILLED" }),
  orderStatus: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await client.orderStatus(SYMBOL, orderId), { type: "STOP_LOSS" });
  },
  cancel: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await client.cancel(SYMBOL, orderId), { type: "STOP_LOSS", status: "CANCELED" });
  },
  openOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await client.openOrders(SYMBOL), clientOrderId);
  },
  allOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await client.allOrders(SYMBOL), clientOrderId);
  },
  cancelAll: async (client) => {
    await placed(client);
    assert.ok((await client.cancelAll(SYMBOL)).length > 0);
    assert.deepEqual(await client.openOrders(SYMBOL), []);
  },
  account: async (client) => assert.ok((await client.account()).balances.length > 0),
  balance: async (client) => assert.ok(Number((await client.balance()).USD.available) > 0),
  trades: async (client) => {
    await client.marketBuy(SYMBOL, 0.001);
    assert.ok((await client.trades(SYMBOL)).length > 0);
  },
  myTrades: async (client) => assert.ok((await client.myTrades(SYMBOL)).length > 0),
};

export const cannot = {
  candlesticks: "klines",
  candles: "klines",
  recentTrades: "trades",
  historicalTrades: "historicalTrades",
  aggTrades: "aggTrades",
};
