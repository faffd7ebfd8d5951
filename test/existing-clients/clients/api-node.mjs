import assert from "node:assert/strict";
import apiNode from "binance-api-node";
import { hasBalance, isList, isMarket, isTime, newId, ORDERS, SYMBOL } from "../checks.mjs";
import { areCandles, areTrades, streamCases } from "../market-cases.mjs";
import { AT_MARKET, isReplaced, NEXT, orderCases } from "../order-cases.mjs";

export const name = "binance-api-node";
export const setup = '`Binance({ apiKey, apiSecret, httpBase: url + "/compat" })`';

const create = apiNode.default ?? apiNode;

export const open = ({ url, key, secret }) =>
  create({ apiKey: key, apiSecret: secret, httpBase: `${url}/compat` });

const place = (client, order) => client.order({ symbol: SYMBOL, ...order, newClientOrderId: newId() });
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
  ...orderCases(
    {
      ...{ place: "order", find: "getOrder", cancel: "cancelOrder", list: "openOrders" },
      ...{ listAll: "allOrders", cancelAll: "cancelOpenOrders" },
    },
    {
      place,
      find: (client, { orderId }) => client.getOrder({ symbol: SYMBOL, orderId }),
      cancel: (client, { orderId }) => client.cancelOrder({ symbol: SYMBOL, orderId }),
      list: (client) => client.openOrders({ symbol: SYMBOL }),
      listAll: (client) => client.allOrders({ symbol: SYMBOL }),
      cancelAll: (client) => client.cancelOpenOrders({ symbol: SYMBOL }),
    },
  ),
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
  updateOrder: async (client) => {
    const order = await place(client, ORDERS.STOP_LOSS);
    const next = { symbol: SYMBOL, ...NEXT, cancelOrderId: order.orderId, newClientOrderId: newId() };
    isReplaced(await client.updateOrder(next), order);
  },
  accountInfo: async (client) => hasBalance((await client.accountInfo()).balances),
  myTrades: async (client) => {
    await place(client, AT_MARKET);
    const trades = await client.myTrades({ symbol: SYMBOL });
    assert.ok(trades.length > 0 && trades.every(({ symbol }) => symbol === SYMBOL));
  },
  candles: async (client) => areCandles(await client.candles({ symbol: SYMBOL, interval: "1m" })),
  trades: async (client) => areTrades(await client.trades({ symbol: SYMBOL })),
  tradesHistory: async (client) => areTrades(await client.tradesHistory({ symbol: SYMBOL })),
  aggTrades: async (client) =>
    areTrades(await client.aggTrades({ symbol: SYMBOL }), { quantity: "quantity", id: "aggId" }),
};

export const cannot = {
  getDataStream: "userDataStream",
  keepDataStream: "userDataStream",
  closeDataStream: "userDataStream",
};

const connected =
  (method, ...more) =>
  ({ wsUrl }, listener) => {
    const { ws } = create({ wsBase: `${wsUrl}/compat/ws` });
    const close = ws[method](SYMBOL, ...more, listener);
    return () => close({ delay: 0, fastClose: true });
  };

export const streams = {
  setup: '`Binance({ wsBase: wsUrl + "/compat/ws" })`, then `.ws`',
  cases: streamCases({
    trades: { open: connected("trades"), check: ({ price }) => assert.ok(Number(price) > 0) },
    aggTrades: { open: connected("aggTrades"), check: ({ price }) => assert.ok(Number(price) > 0) },
    bookTicker: { open: connected("bookTicker"), check: ({ bestBid }) => assert.ok(Number(bestBid) > 0) },
    depth: { open: connected("depth"), check: ({ finalUpdateId }) => assert.ok(finalUpdateId > 0) },
    partialDepth: {
      open: ({ wsUrl }, listener) =>
        create({ wsBase: `${wsUrl}/compat/ws` }).ws.partialDepth({ symbol: SYMBOL, level: 5 }, listener),
      check: ({ bids }) => assert.ok(Number(bids[0].price) > 0),
    },
    candles: { open: connected("candles", "1m"), check: ({ close }) => assert.ok(Number(close) > 0) },
    ticker: { open: connected("ticker"), check: ({ curDayClose }) => assert.ok(Number(curDayClose) > 0) },
    miniTicker: {
      open: connected("miniTicker"),
      check: ({ curDayClose }) => assert.ok(Number(curDayClose) > 0),
    },
  }),
};
