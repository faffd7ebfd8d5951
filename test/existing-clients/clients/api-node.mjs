import assert from "node:assert/strict";
import apiNode from "binance-api-node";
import {
  hasBalance,
  hasOrder,
  isList,
  isMarket,
  isOrder,
  isTime,
  newId,
  ORDERS,
  SYMBOL,
} from "../checks.mjs";

export const name = "binance-api-node";
export const setup = '`Binance({ apiKey, apiSecret, httpBase: url + "/compat" })`';

const create = apiNode.default ?? apiNode;

export const open = ({ url, key, secret }) =>
  create({ apiKey: key, apiSecret: secret, httpBase: `${url}/compat` });

const place = (client, order) => client.order({ symbol: SYMBOL, ...order, newClientOrderId: newId() });
const placed = (client) => place(client, ORDERS.STOP_LOSS);
const pair = (client) =>
  client.orderOco({ symbol: SYMBOL, side: "SELL", quantity: "0.001", price: "70000", stopPrice: "50000" });

export const cases = {
  ping: async (client) => assert.equal(await client.ping(), true),
  time: async (client) => isTime(await client.time()),
  exchangeInfo: async (client) => isMarket(await client.exchangeInfo({ symbol: SYMBOL })),
  book: async (client) => assert.equal(Number((await client.book({ symbol: SYMBOL })).bids[0].price), 60_000),
  avgPrice: async (client) => assert.ok(Number((await client.avgPrice({ symbol: SYMBOL })).price) > 0),
  dailyStats: async (client) => assert.equal((await client.dailyStats({ symbol: SYMBOL })).symbol, SYMBOL),
  prices: async (client) => assert.ok(Number((await client.prices())[SYMBOL]) > 0),
  allBookTickers: async (client) =>
    assert.equal(Number((await client.allBookTickers())[SYMBOL].bidPrice), 60_000),
  orderTest: async (client) =>
    assert.deepEqual({ ...(await client.orderTest({ symbol: SYMBOL, ...ORDERS.STOP_LOSS_LIMIT })) }, {}),
  ...Object.fromEntries(
    Object.entries(ORDERS).map(([type, order]) => [
      `order (${type})`,
      async (client) => isOrder(await place(client, order), { type }),
    ]),
  ),
  "order (MARKET)": async (client) =>
    isOrder(await place(client, { side: "BUY", type: "MARKET", quantity: "0.001" }), {
      type: "MARKET",
      status: "FILLED",
    }),
  getOrder: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await client.getOrder({ symbol: SYMBOL, orderId }), { type: "STOP_LOSS" });
  },
  cancelOrder: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await client.cancelOrder({ symbol: SYMBOL, orderId }), { type: "STOP_LOSS", status: "CANCELED" });
  },
  openOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await client.openOrders({ symbol: SYMBOL }), clientOrderId);
  },
  allOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await client.allOrders({ symbol: SYMBOL }), clientOrderId);
  },
  cancelOpenOrders: async (client) => {
    await placed(client);
    assert.ok((await client.cancelOpenOrders({ symbol: SYMBOL })).length > 0);
    assert.deepEqual(await client.openOrders({ symbol: SYMBOL }), []);
  },
  orderOco: async (client) => isList(await pair(client), 2),
  getOrderOco: async (client) => {
    const { orderListId } = await pair(client);
    isList(await client.getOrderOco({ orderListId }), 2);
  },
  cancelOrderOco: async (client) => {
    const { orderListId } = await pair(client);
    isList(await client.cancelOrderOco({ symbol: SYMBOL, orderListId }), 2);
  },
  allOrdersOCO: async (client) => assert.ok((await client.allOrdersOCO()).length > 0),
  accountInfo: async (client) => hasBalance((await client.accountInfo()).balances),
  myTrades: async (client) => {
    await place(client, { side: "SELL", type: "MARKET", quantity: "0.001" });
    const trades = await client.myTrades({ symbol: SYMBOL });
    assert.ok(trades.length > 0 && trades.every(({ symbol }) => symbol === SYMBOL));
  },
};

export const cannot = {
  candles: "klines",
  trades: "trades",
  tradesHistory: "historicalTrades",
  aggTrades: "aggTrades",
  updateOrder: "order/cancelReplace",
  getDataStream: "userDataStream",
  keepDataStream: "userDataStream",
  closeDataStream: "userDataStream",
};
