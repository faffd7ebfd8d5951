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
  OTO,
  OTOCO,
  PAIR,
  SYMBOL,
} from "../checks.mjs";

export const name = "@binance/spot";
export const setup =
  '`new Spot({ configurationRestAPI: { apiKey, apiSecret, basePath: url + "/compat" } })`, then `.restAPI`';

export const open = ({ url, key, secret }) =>
  new Spot({ configurationRestAPI: { apiKey: key, apiSecret: secret, basePath: `${url}/compat` } }).restAPI;

const of = async (reply) => await (await reply).data();

const place = (client, order) => of(client.newOrder({ symbol: SYMBOL, ...order, newClientOrderId: newId() }));
const placed = (client) => place(client, ORDERS.STOP_LOSS);
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
    isOrder(await of(client.getOrder({ symbol: SYMBOL, orderId })), { type: "STOP_LOSS" });
  },
  deleteOrder: async (client) => {
    const { orderId } = await placed(client);
    isOrder(await of(client.deleteOrder({ symbol: SYMBOL, orderId })), {
      type: "STOP_LOSS",
      status: "CANCELED",
    });
  },
  getOpenOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await of(client.getOpenOrders({ symbol: SYMBOL })), clientOrderId);
  },
  allOrders: async (client) => {
    const { clientOrderId } = await placed(client);
    hasOrder(await of(client.allOrders({ symbol: SYMBOL })), clientOrderId);
  },
  deleteOpenOrders: async (client) => {
    await placed(client);
    assert.ok((await of(client.deleteOpenOrders({ symbol: SYMBOL }))).length > 0);
    assert.deepEqual(await of(client.getOpenOrders({ symbol: SYMBOL })), []);
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
    await place(client, { side: "SELL", type: "MARKET", quantity: "0.001" });
    const trades = await of(client.myTrades({ symbol: SYMBOL, limit: 10 }));
    assert.ok(trades.length > 0 && trades.every(({ symbol }) => symbol === SYMBOL));
  },
};

export const cannot = {
  klines: "klines",
  uiKlines: "uiKlines",
  getTrades: "trades",
  historicalTrades: "historicalTrades",
  historicalBlockTrades: "historicalBlockTrades",
  aggTrades: "aggTrades",
  ticker: "ticker",
  tickerTradingDay: "ticker/tradingDay",
  orderCancelReplace: "order/cancelReplace",
  orderAmendKeepPriority: "order/amend/keepPriority",
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
