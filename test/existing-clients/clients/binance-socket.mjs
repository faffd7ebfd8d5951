import assert from "node:assert/strict";
import binance from "binance";
import {
  hasBalance,
  hasOrder,
  isBook,
  isList,
  isMarket,
  isOrder,
  isTime,
  ORDERS,
  PAIR,
  SYMBOL,
} from "../checks.mjs";
import { areTrades, isKlines } from "../market-cases.mjs";
import { isAmended, isReplaced, NEXT } from "../order-cases.mjs";
import { Events, isFilledOrder } from "./socket-checks.mjs";

const { MainClient, WebsocketAPIClient } = binance;

export const name = "binance";
export const part = "WebSocket API";
export const setup =
  '`new WebsocketAPIClient({ api_key, api_secret, wsUrl: url + "/compat" })`, with `url` as `ws://...`';

const events = new Events();
const quiet = () => undefined;

export function open({ url, key, secret }) {
  const wsUrl = `${url.replace(/^http/, "ws")}/compat`;
  const options = { api_key: key, api_secret: secret, wsUrl, attachEventListeners: false };
  const client = new WebsocketAPIClient(options, { trace: quiet, info: quiet, error: quiet });
  client.getWSClient().on("message", (event) => events.take(event));
  client.getWSClient().on("exception", quiet);
  return client;
}

export const close = (client) => client.disconnectAll();

const of = async (reply) => {
  const { status, result, error } = await reply;
  if (status !== 200) throw new Error(JSON.stringify(error));
  return result;
};

const now = () => ({ timestamp: Date.now() });
const ids = new MainClient();
const place = (client, order) =>
  of(
    client.submitNewSpotOrder({
      symbol: SYMBOL,
      ...order,
      newClientOrderId: ids.generateNewOrderId(),
      ...now(),
    }),
  );
const placed = (client) => place(client, ORDERS.STOP_LOSS);
const pair = (client) => of(client.placeSpotOCOOrderList({ symbol: SYMBOL, ...PAIR, ...now() }));

export const cases = {
  testSpotConnectivity: async (client) => assert.deepEqual(await of(client.testSpotConnectivity()), {}),
  getSpotServerTime: async (client) => isTime((await of(client.getSpotServerTime())).serverTime),
  getSpotExchangeInfo: async (client) => isMarket(await of(client.getSpotExchangeInfo({ symbol: SYMBOL }))),
  getSpotOrderBook: async (client) => isBook(await of(client.getSpotOrderBook({ symbol: SYMBOL, limit: 5 }))),
  getSpotKlines: async (client) =>
    isKlines(await of(client.getSpotKlines({ symbol: SYMBOL, interval: "1m" }))),
  getSpotRecentTrades: async (client) => areTrades(await of(client.getSpotRecentTrades({ symbol: SYMBOL }))),
  getSpotAveragePrice: async (client) =>
    assert.ok(Number((await of(client.getSpotAveragePrice({ symbol: SYMBOL }))).price) > 0),
  getSpotSymbolPriceTicker: async (client) =>
    assert.equal((await of(client.getSpotSymbolPriceTicker({ symbol: SYMBOL }))).symbol, SYMBOL),
  getSpotSymbolOrderBookTicker: async (client) =>
    assert.equal(
      Number((await of(client.getSpotSymbolOrderBookTicker({ symbol: SYMBOL }))).bidPrice),
      60_000,
    ),
  testSpotOrder: async (client) =>
    assert.deepEqual(await of(client.testSpotOrder({ symbol: SYMBOL, ...ORDERS.LIMIT, ...now() })), {}),
  // A subscription in the millisecond of a query without parameters would have the signature of that query.
  "subscribeUserDataStream, then executionReport": async (client) => {
    await client.subscribeUserDataStream("mainWSAPI");
    const { clientOrderId } = await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" });
    const reports = await events.reportsOf(clientOrderId, 2);
    isFilledOrder(reports, await of(client.getSpotMyTrades({ symbol: SYMBOL, ...now() })));
  },
  unsubscribeUserDataStream: async (client) =>
    assert.deepEqual(await of(client.unsubscribeUserDataStream("mainWSAPI")), {}),
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([type, order]) => [
      `submitNewSpotOrder (${type})`,
      async (client) => isOrder(await place(client, order), { type }),
    ]),
  ),
  getSpotOrderStatus: async (client) => {
    const { clientOrderId: origClientOrderId } = await placed(client);
    const asked = { symbol: SYMBOL, origClientOrderId, ...now() };
    isOrder(await of(client.getSpotOrderStatus(asked)), { type: "STOP_LOSS" });
  },
  cancelSpotOrder: async (client) => {
    const { clientOrderId: origClientOrderId } = await placed(client);
    const canceling = client.cancelSpotOrder({ symbol: SYMBOL, origClientOrderId, ...now() });
    isOrder(await of(canceling), { type: "STOP_LOSS", status: "CANCELED" });
  },
  getSpotOpenOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await of(client.getSpotOpenOrders({ symbol: SYMBOL, ...now() })), clientOrderId);
  },
  getSpotAllOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await of(client.getSpotAllOrders({ symbol: SYMBOL, ...now() })), clientOrderId);
  },
  cancelAllSpotOpenOrders: async (client) => {
    await placed(client);
    assert.ok((await of(client.cancelAllSpotOpenOrders({ symbol: SYMBOL, ...now() }))).length > 0);
  },
  cancelReplaceSpotOrder: async (client) => {
    const order = await placed(client);
    const newClientOrderId = ids.generateNewOrderId();
    const next = { symbol: SYMBOL, ...NEXT, cancelOrderId: order.orderId, newClientOrderId, ...now() };
    isReplaced(await of(client.cancelReplaceSpotOrder(next)), order);
  },
  amendSpotOrderKeepPriority: async (client) => {
    const order = await placed(client);
    const change = { symbol: SYMBOL, orderId: order.orderId, newQty: "0.0005", ...now() };
    isAmended(await of(client.amendSpotOrderKeepPriority(change)), order, "0.0005");
  },
  placeSpotOCOOrderList: async (client) => isList(await pair(client), 2),
  cancelSpotOrderList: async (client) => {
    const { listClientOrderId } = await pair(client);
    isList(await of(client.cancelSpotOrderList({ symbol: SYMBOL, listClientOrderId, ...now() })), 2);
  },
  getSpotOpenOrderLists: async (client) =>
    assert.ok(Array.isArray(await of(client.getSpotOpenOrderLists(now())))),
  getSpotAccountInformation: async (client) =>
    hasBalance((await of(client.getSpotAccountInformation(now()))).balances),
};

export const cannot = {
  getSpotSessionStatus: "session.logon",
  placeSpotSOROrder: "sor/order",
  placeSpotOPOOrderList: "orderList/opo",
  getSpotOrderRateLimits: "rateLimit/order",
};
