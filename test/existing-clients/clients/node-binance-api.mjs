import assert from "node:assert/strict";
import nodeBinance from "node-binance-api";
import { isMarket, isOrder, isTime, newId, ORDERS, SYMBOL } from "../checks.mjs";
import { areCandles, areTrades, EVENTS, streamCases } from "../market-cases.mjs";
import { orderCases } from "../order-cases.mjs";

export const name = "node-binance-api";
export const setup = '`new Binance({ APIKEY, APISECRET, urls: { base: url + "/compat/api/" } })`';

const Client = nodeBinance.default ?? nodeBinance;

export const open = ({ url, key, secret }) =>
  new Client({ APIKEY: key, APISECRET: secret, urls: { base: `${url}/compat/api/` } });

const place = (client, { type, side, quantity, price, timeInForce, ...rest }) =>
  client.order(type, side, SYMBOL, quantity, price, { ...rest, newClientOrderId: newId() });

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
  ...orderCases(
    {
      ...{ place: "order", find: "orderStatus", cancel: "cancel", list: "openOrders" },
      ...{ listAll: "allOrders", cancelAll: "cancelAll" },
    },
    {
      place,
      find: (client, { orderId }) => client.orderStatus(SYMBOL, orderId),
      cancel: (client, { orderId }) => client.cancel(SYMBOL, orderId),
      list: (client) => client.openOrders(SYMBOL),
      listAll: (client) => client.allOrders(SYMBOL),
      cancelAll: (client) => client.cancelAll(SYMBOL),
    },
  ),
  buy: async (client) => isOrder(await client.buy(SYMBOL, 0.001, 50_000), { type: "LIMIT" }),
  sell: async (client) => isOrder(await client.sell(SYMBOL, 0.001, 70_000), { type: "LIMIT" }),
  marketBuy: async (client) =>
    isOrder(await client.marketBuy(SYMBOL, 0.001), { type: "MARKET", status: "FILLED" }),
  marketSell: async (client) =>
    isOrder(await client.marketSell(SYMBOL, 0.001), { type: "MARKET", status: "FILLED" }),
  account: async (client) => assert.ok((await client.account()).balances.length > 0),
  balance: async (client) => assert.ok(Number((await client.balance()).USD.available) > 0),
  trades: async (client) => {
    await client.marketBuy(SYMBOL, 0.001);
    assert.ok((await client.trades(SYMBOL)).length > 0);
  },
  myTrades: async (client) => assert.ok((await client.myTrades(SYMBOL)).length > 0),
  candlesticks: async (client) => areCandles(await client.candlesticks(SYMBOL, "1m")),
  candles: async (client) => areCandles(await client.candles(SYMBOL, "1m")),
  recentTrades: async (client) => areTrades(await client.recentTrades(SYMBOL)),
  historicalTrades: async (client) => areTrades(await client.historicalTrades(SYMBOL)),
  aggTrades: async (client) =>
    areTrades(await client.aggTrades(SYMBOL), { quantity: "quantity", id: "aggId" }),
};

export const cannot = {};

const connected =
  (method, ...more) =>
  ({ wsUrl }, listener) => {
    const base = `${wsUrl}/compat`;
    const urls = { stream: `${base}/ws/`, combineStream: `${base}/stream?streams=` };
    const client = new Client({ urls, reconnect: false });
    const endpoint = client[method](SYMBOL, ...more, listener);
    return () => client.terminate(endpoint);
  };

export const streams = {
  setup:
    '`new Binance({ urls: { stream: wsUrl + "/compat/ws/", combineStream: wsUrl + "/compat/stream?streams=" } })`',
  cases: streamCases({
    tradesStream: { open: connected("tradesStream"), check: EVENTS.trade },
    aggTradesStream: { open: connected("aggTradesStream"), check: EVENTS.aggTrade },
    bookTickersStream: {
      open: connected("bookTickersStream"),
      check: ({ bestBid }) => assert.ok(Number(bestBid) > 0),
    },
    depthStream: { open: connected("depthStream"), check: EVENTS.depth },
    candlesticksStream: { open: connected("candlesticksStream", "1m"), check: EVENTS.kline },
  }),
};
