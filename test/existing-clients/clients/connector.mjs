import assert from "node:assert/strict";
import connector from "@binance/connector";
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

const { Spot } = connector;

export const name = "@binance/connector";
export const setup = '`new Spot(key, secret, { baseURL: url + "/compat" })`';

export const open = ({ url, key, secret }) => new Spot(key, secret, { baseURL: `${url}/compat` });

const place = async (client, { type, side, ...rest }) => {
  const newClientOrderId = newId();
  const { data } = await client.newOrder(SYMBOL, side, type, { ...rest, newClientOrderId });
  return data;
};

const placed = (client) => place(client, ORDERS.STOP_LOSS);

const pair = async (client) =>
  (
    await client.newOCOOrder(SYMBOL, PAIR.side, PAIR.quantity, PAIR.aboveType, PAIR.belowType, {
      abovePrice: PAIR.abovePrice,
      belowStopPrice: PAIR.belowStopPrice,
    })
  ).data;

export const cases = {
  ping: async (client) => assert.deepEqual((await client.ping()).data, {}),
  time: async (client) => isTime((await client.time()).data.serverTime),
  exchangeInfo: async (client) => isMarket((await client.exchangeInfo({ symbols: [SYMBOL] })).data),
  depth: async (client) => isBook((await client.depth(SYMBOL, { limit: 5 })).data),
  avgPrice: async (client) => assert.equal((await client.avgPrice(SYMBOL)).data.mins, 0),
  ticker24hr: async (client) => assert.equal((await client.ticker24hr(SYMBOL)).data.symbol, SYMBOL),
  tickerPrice: async (client) =>
    assert.equal((await client.tickerPrice("", [SYMBOL])).data[0].symbol, SYMBOL),
  bookTicker: async (client) => assert.equal(Number((await client.bookTicker(SYMBOL)).data.bidPrice), 60_000),
  newOrderTest: async (client) => {
    const { side, type, ...rest } = ORDERS.STOP_LOSS;
    assert.deepEqual((await client.newOrderTest(SYMBOL, side, type, rest)).data, {});
  },
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([type, order]) => [
      `newOrder (${type})`,
      async (client) => isOrder(await place(client, order), { type }),
    ]),
  ),
  "newOrder (MARKET)": async (client) =>
    isOrder(await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" }), {
      type: "MARKET",
      status: "FILLED",
    }),
  getOrder: async (client) => {
    const { orderId } = await placed(client);
    isOrder((await client.getOrder(SYMBOL, { orderId })).data, { type: "STOP_LOSS" });
  },
  cancelOrder: async (client) => {
    const { clientOrderId } = await placed(client);
    const { data } = await client.cancelOrder(SYMBOL, { origClientOrderId: clientOrderId });
    isOrder(data, { type: "STOP_LOSS", status: "CANCELED" });
  },
  openOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder((await client.openOrders({ symbol: SYMBOL })).data, clientOrderId);
  },
  allOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder((await client.allOrders(SYMBOL, { limit: 100 })).data, clientOrderId);
  },
  cancelOpenOrders: async (client) => {
    await placed(client);
    const { data } = await client.cancelOpenOrders(SYMBOL);
    assert.ok(data.every(({ symbol }) => symbol === SYMBOL));
    assert.deepEqual((await client.openOrders({ symbol: SYMBOL })).data, []);
  },
  newOCOOrder: async (client) => isList(await pair(client), 2),
  getOCOOrder: async (client) => {
    const { orderListId } = await pair(client);
    isList((await client.getOCOOrder({ orderListId })).data, 2);
  },
  getOCOOrders: async (client) => assert.ok((await client.getOCOOrders()).data.length > 0),
  getOpenOCOOrders: async (client) => {
    await pair(client);
    assert.ok((await client.getOpenOCOOrders()).data.length > 0);
  },
  cancelOCOOrder: async (client) => {
    const { orderListId } = await pair(client);
    isList((await client.cancelOCOOrder(SYMBOL, { orderListId })).data, 2);
  },
  account: async (client) => hasBalance((await client.account()).data.balances),
  myTrades: async (client) => {
    const { orderId } = await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" });
    const { data } = await client.myTrades(SYMBOL);
    assert.ok(data.every(({ symbol, price }) => symbol === SYMBOL && Number(price) > 0));
    assert.ok(data.length > 0 && orderId !== undefined);
  },
};

export const cannot = {
  klines: "klines",
  uiklines: "uiKlines",
  trades: "trades",
  historicalTrades: "historicalTrades",
  aggTrades: "aggTrades",
  rollingWindowTicker: "ticker",
  createListenKey: "userDataStream",
  renewListenKey: "userDataStream",
  closeListenKey: "userDataStream",
  orderCount: "rateLimit/order",
  cancelAndReplace: "order/cancelReplace",
};
