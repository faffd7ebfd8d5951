import assert from "node:assert/strict";
import { Spot } from "@binance/spot";
import {
  hasBalance,
  hasOrder,
  isBook,
  isList,
  isMarket,
  isOrder,
  isTime,
  newId,
  ORDERS,
  PAIR,
  SYMBOL,
} from "../checks.mjs";
import { areAggTrades, areTrades, isKlines } from "../market-cases.mjs";
import { isAmended, isReplaced, NEXT } from "../order-cases.mjs";
import { Events, isFilledOrder } from "./socket-checks.mjs";

// This client writes a line for every connection otherwise.
process.env.LOG_LEVEL ??= "warn";

export const name = "@binance/spot";
export const part = "WebSocket API";
export const setup =
  '`new Spot({ configurationWebsocketAPI: { apiKey, apiSecret, wsURL: url + "/compat/ws-api/v3" } })`, with `url` as `ws://...`, then `await spot.websocketAPI.connect()`';

const events = new Events();

export async function open({ url, key, secret }) {
  const wsURL = `${url.replace(/^http/, "ws")}/compat/ws-api/v3`;
  const spot = new Spot({ configurationWebsocketAPI: { apiKey: key, apiSecret: secret, wsURL } });
  return await spot.websocketAPI.connect();
}

export const close = (client) => client.disconnect();

const of = async (reply) => (await reply).data;

/** Values are numbers, as the types of this client say. */
const numbered = (order) =>
  Object.fromEntries(
    Object.entries(order).map(([field, value]) => [
      field,
      /(quantity|qty|price)$/i.test(field) ? Number(value) : value,
    ]),
  );
const place = (client, order) =>
  of(client.orderPlace({ symbol: SYMBOL, ...numbered(order), newClientOrderId: newId() }));
const placed = (client) => place(client, ORDERS.STOP_LOSS);
const pair = (client) => of(client.orderListPlaceOco({ symbol: SYMBOL, ...numbered(PAIR) }));

export const cases = {
  ping: async (client) => assert.deepEqual(await of(client.ping()), {}),
  time: async (client) => isTime((await of(client.time())).serverTime),
  exchangeInfo: async (client) => isMarket(await of(client.exchangeInfo({ symbol: SYMBOL }))),
  depth: async (client) => isBook(await of(client.depth({ symbol: SYMBOL, limit: 5 }))),
  avgPrice: async (client) => assert.ok(Number((await of(client.avgPrice({ symbol: SYMBOL }))).price) > 0),
  klines: async (client) => isKlines(await of(client.klines({ symbol: SYMBOL, interval: "1m" }))),
  uiKlines: async (client) => isKlines(await of(client.uiKlines({ symbol: SYMBOL, interval: "1m" }))),
  tradesRecent: async (client) => areTrades(await of(client.tradesRecent({ symbol: SYMBOL }))),
  tradesAggregate: async (client) => areAggTrades(await of(client.tradesAggregate({ symbol: SYMBOL }))),
  ticker24hr: async (client) =>
    assert.equal((await of(client.ticker24hr({ symbol: SYMBOL }))).symbol, SYMBOL),
  tickerPrice: async (client) =>
    assert.equal((await of(client.tickerPrice({ symbol: SYMBOL }))).symbol, SYMBOL),
  tickerBook: async (client) =>
    assert.equal(Number((await of(client.tickerBook({ symbol: SYMBOL }))).bidPrice), 60_000),
  orderTest: async (client) =>
    assert.deepEqual(await of(client.orderTest({ symbol: SYMBOL, ...numbered(ORDERS.LIMIT) })), {}),
  // A subscription in the millisecond of a query without parameters would have the signature of that query.
  "userDataStreamSubscribeSignature, then executionReport": async (client) => {
    const { stream } = await client.userDataStreamSubscribeSignature();
    stream.on("message", (event) => events.take(event));
    const { clientOrderId } = await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" });
    const reports = await events.reportsOf(clientOrderId, 2);
    isFilledOrder(reports, await of(client.myTrades({ symbol: SYMBOL })));
  },
  sessionSubscriptions: async (client) => assert.equal((await of(client.sessionSubscriptions())).length, 1),
  userDataStreamUnsubscribe: async (client) =>
    assert.deepEqual(await of(client.userDataStreamUnsubscribe()), {}),
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([type, order]) => [
      `orderPlace (${type})`,
      async (client) => isOrder(await place(client, order), { type }),
    ]),
  ),
  orderStatus: async (client) => {
    const { clientOrderId: origClientOrderId } = await placed(client);
    isOrder(await of(client.orderStatus({ symbol: SYMBOL, origClientOrderId })), { type: "STOP_LOSS" });
  },
  orderCancel: async (client) => {
    const { clientOrderId: origClientOrderId } = await placed(client);
    const canceling = client.orderCancel({
      ...{ symbol: SYMBOL, origClientOrderId, newClientOrderId: newId(), cancelRestrictions: "ONLY_NEW" },
    });
    const canceled = isOrder(await of(canceling), { type: "STOP_LOSS", status: "CANCELED" });
    assert.equal(canceled.origClientOrderId, origClientOrderId);
  },
  openOrdersStatus: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await of(client.openOrdersStatus({ symbol: SYMBOL })), clientOrderId);
  },
  allOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await of(client.allOrders({ symbol: SYMBOL })), clientOrderId);
  },
  openOrdersCancelAll: async (client) => {
    await placed(client);
    assert.ok((await of(client.openOrdersCancelAll({ symbol: SYMBOL }))).length > 0);
    assert.deepEqual(await of(client.openOrdersStatus({ symbol: SYMBOL })), []);
  },
  orderCancelReplace: async (client) => {
    const order = await placed(client);
    const next = { symbol: SYMBOL, ...numbered(NEXT), cancelOrderId: order.orderId };
    isReplaced(await of(client.orderCancelReplace(next)), order);
  },
  orderAmendKeepPriority: async (client) => {
    const order = await placed(client);
    const change = { symbol: SYMBOL, orderId: order.orderId, newQty: 0.0005 };
    isAmended(await of(client.orderAmendKeepPriority(change)), order, "0.0005");
  },
  orderListPlaceOco: async (client) => isList(await pair(client), 2),
  orderListStatus: async (client) => {
    const { listClientOrderId: origClientOrderId } = await pair(client);
    isList(await of(client.orderListStatus({ origClientOrderId })), 2);
  },
  orderListCancel: async (client) => {
    const { listClientOrderId } = await pair(client);
    isList(await of(client.orderListCancel({ symbol: SYMBOL, listClientOrderId })), 2);
  },
  openOrderListsStatus: async (client) => assert.ok(Array.isArray(await of(client.openOrderListsStatus()))),
  allOrderLists: async (client) => assert.ok((await of(client.allOrderLists())).length > 0),
  accountStatus: async (client) => hasBalance((await of(client.accountStatus())).balances),
};

export const cannot = {
  sessionLogon: "session.logon",
  sessionStatus: "session.logon",
  sessionLogout: "session.logon",
  userDataStreamSubscribe: "session.logon",
  sorOrderPlace: "sor/order",
};
