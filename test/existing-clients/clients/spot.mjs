import assert from "node:assert/strict";
import { Spot } from "@binance/spot";
import {
  hasBalance,
  isBook,
  isList,
  isMarket,
  isTime,
  newId,
  ORDERS,
  OTO,
  OTOCO,
  PAIR,
  SYMBOL,
} from "../checks.mjs";
import { areAggTrades, areTrades, EVENTS, isKlines, streamCases } from "../market-cases.mjs";
import { AT_MARKET, isAmended, isReplaced, NEXT, orderCases } from "../order-cases.mjs";

export const name = "@binance/spot";
export const setup =
  '`new Spot({ configurationRestAPI: { apiKey, apiSecret, basePath: url + "/compat" } })`, then `.restAPI`';

export const open = ({ url, key, secret }) =>
  new Spot({ configurationRestAPI: { apiKey: key, apiSecret: secret, basePath: `${url}/compat` } }).restAPI;

const of = async (reply) => await (await reply).data();

const place = (client, order) => of(client.newOrder({ symbol: SYMBOL, ...order, newClientOrderId: newId() }));
const pair = (client) => of(client.orderListOco({ symbol: SYMBOL, ...PAIR }));

export const cases = {
  ping: async (client) => assert.deepEqual(await of(client.ping()), {}),
  time: async (client) => isTime((await of(client.time())).serverTime),
  exchangeInfo: async (client) => isMarket(await of(client.exchangeInfo({ symbol: SYMBOL }))),
  depth: async (client) => isBook(await of(client.depth({ symbol: SYMBOL, limit: 5 }))),
  avgPrice: async (client) => assert.ok(Number((await of(client.avgPrice({ symbol: SYMBOL }))).price) > 0),
  ticker24hr: async (client) =>
    assert.equal((await of(client.ticker24hr({ symbol: SYMBOL }))).symbol, SYMBOL),
  tickerPrice: async (client) =>
    assert.equal((await of(client.tickerPrice({ symbols: [SYMBOL] })))[0].symbol, SYMBOL),
  tickerBookTicker: async (client) =>
    assert.equal(Number((await of(client.tickerBookTicker({ symbol: SYMBOL }))).bidPrice), 60_000),
  orderTest: async (client) =>
    assert.deepEqual(await of(client.orderTest({ symbol: SYMBOL, ...ORDERS.TAKE_PROFIT_LIMIT })), {}),
  ...orderCases(
    {
      ...{ place: "newOrder", find: "getOrder", cancel: "deleteOrder", list: "getOpenOrders" },
      ...{ listAll: "allOrders", cancelAll: "deleteOpenOrders" },
    },
    {
      place,
      find: (client, { orderId }) => of(client.getOrder({ symbol: SYMBOL, orderId })),
      cancel: (client, { orderId }) => of(client.deleteOrder({ symbol: SYMBOL, orderId })),
      list: (client) => of(client.getOpenOrders({ symbol: SYMBOL })),
      listAll: (client) => of(client.allOrders({ symbol: SYMBOL })),
      cancelAll: (client) => of(client.deleteOpenOrders({ symbol: SYMBOL })),
    },
  ),
  orderCancelReplace: async (client) => {
    const order = await place(client, ORDERS.STOP_LOSS);
    const next = { symbol: SYMBOL, ...NEXT, cancelOrderId: order.orderId };
    isReplaced(await of(client.orderCancelReplace(next)), order);
  },
  orderAmendKeepPriority: async (client) => {
    const order = await place(client, ORDERS.STOP_LOSS);
    const change = { symbol: SYMBOL, orderId: order.orderId, newQty: "0.0005" };
    isAmended(await of(client.orderAmendKeepPriority(change)), order, "0.0005");
  },
  orderListOco: async (client) => isList(await pair(client), 2),
  orderOco: async (client) =>
    isList(
      await of(
        client.orderOco({
          symbol: SYMBOL,
          side: "SELL",
          quantity: "0.001",
          price: "70000",
          stopPrice: "50000",
        }),
      ),
      2,
    ),
  orderListOto: async (client) => isList(await of(client.orderListOto({ symbol: SYMBOL, ...OTO })), 2),
  orderListOtoco: async (client) => isList(await of(client.orderListOtoco({ symbol: SYMBOL, ...OTOCO })), 3),
  getOrderList: async (client) => {
    const { orderListId } = await pair(client);
    isList(await of(client.getOrderList({ orderListId })), 2);
  },
  deleteOrderList: async (client) => {
    const { orderListId } = await pair(client);
    isList(await of(client.deleteOrderList({ symbol: SYMBOL, orderListId })), 2);
  },
  openOrderList: async (client) => assert.ok(Array.isArray(await of(client.openOrderList()))),
  allOrderList: async (client) => assert.ok((await of(client.allOrderList())).length > 0),
  getAccount: async (client) =>
    hasBalance((await of(client.getAccount({ omitZeroBalances: true }))).balances),
  myTrades: async (client) => {
    await place(client, AT_MARKET);
    const trades = await of(client.myTrades({ symbol: SYMBOL, limit: 10 }));
    assert.ok(trades.length > 0 && trades.every(({ symbol }) => symbol === SYMBOL));
  },
  klines: async (client) => isKlines(await of(client.klines({ symbol: SYMBOL, interval: "1m" }))),
  uiKlines: async (client) => isKlines(await of(client.uiKlines({ symbol: SYMBOL, interval: "1m" }))),
  getTrades: async (client) => areTrades(await of(client.getTrades({ symbol: SYMBOL }))),
  historicalTrades: async (client) =>
    areTrades(await of(client.historicalTrades({ symbol: SYMBOL, limit: 5 }))),
  aggTrades: async (client) => areAggTrades(await of(client.aggTrades({ symbol: SYMBOL }))),
};

export const cannot = {
  historicalBlockTrades: "historicalBlockTrades",
  ticker: "ticker",
  tickerTradingDay: "ticker/tradingDay",
  orderAmendments: "order/amendments",
  sorOrder: "sor/order",
  sorOrderTest: "sor/order/test",
  orderListOpo: "orderList/opo",
  orderListOpoco: "orderList/opoco",
  rateLimitOrder: "rateLimit/order",
  accountCommission: "account/commission",
  myPreventedMatches: "myPreventedMatches",
  myAllocations: "myAllocations",
  myFilters: "myFilters",
  executionRules: "executionRules",
  referencePrice: "referencePrice",
  referencePriceCalculation: "referencePrice/calculation",
};

const connected =
  (method, more = {}) =>
  async ({ wsUrl }, listener) => {
    const client = new Spot({ configurationWebsocketStreams: { wsURL: `${wsUrl}/compat` } });
    const connection = await client.websocketStreams.connect();
    connection[method]({ symbol: SYMBOL, ...more }).on("message", listener);
    return () => connection.disconnect();
  };

export const streams = {
  setup:
    '`new Spot({ configurationWebsocketStreams: { wsURL: wsUrl + "/compat" } })`, then `.websocketStreams.connect()`',
  cases: streamCases({
    trade: { open: connected("trade"), check: EVENTS.trade },
    aggTrade: { open: connected("aggTrade"), check: EVENTS.aggTrade },
    bookTicker: { open: connected("bookTicker"), check: EVENTS.bookTicker },
    diffBookDepth: { open: connected("diffBookDepth", { updateSpeed: "100ms" }), check: EVENTS.depth },
    partialBookDepth: { open: connected("partialBookDepth", { levels: "20" }), check: EVENTS.partialDepth },
    kline: { open: connected("kline", { interval: "1m" }), check: EVENTS.kline },
    ticker: { open: connected("ticker"), check: EVENTS.ticker },
    miniTicker: { open: connected("miniTicker"), check: EVENTS.miniTicker },
  }),
};
