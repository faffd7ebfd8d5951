import assert from "node:assert/strict";
import binance from "binance";
import { hasBalance, isBook, isList, isMarket, ORDERS, OTO, OTOCO, PAIR, SYMBOL } from "../checks.mjs";
import { areAggTrades, areTrades, EVENTS, isKlines, streamCases } from "../market-cases.mjs";
import { AT_MARKET, isReplaced, NEXT, orderCases } from "../order-cases.mjs";

const { MainClient, WebsocketClient } = binance;

export const name = "binance";
export const setup = '`new MainClient({ api_key, api_secret, baseUrl: url + "/compat" })`';

export const open = ({ url, key, secret }) =>
  new MainClient({ api_key: key, api_secret: secret, baseUrl: `${url}/compat` });

const place = (client, order) =>
  client.submitNewOrder({
    symbol: SYMBOL,
    ...order,
    newClientOrderId: client.generateNewOrderId(),
    newOrderRespType: "FULL",
  });
const pair = (client) => client.submitNewOrderList({ symbol: SYMBOL, ...PAIR });

export const cases = {
  testConnectivity: async (client) => assert.deepEqual(await client.testConnectivity(), {}),
  getExchangeInfo: async (client) => isMarket(await client.getExchangeInfo({ symbols: [SYMBOL] })),
  getOrderBook: async (client) => isBook(await client.getOrderBook({ symbol: SYMBOL, limit: 5 })),
  getAvgPrice: async (client) => assert.ok(Number((await client.getAvgPrice({ symbol: SYMBOL })).price) > 0),
  get24hrChangeStatistics: async (client) =>
    assert.equal((await client.get24hrChangeStatistics({ symbol: SYMBOL })).symbol, SYMBOL),
  getSymbolPriceTicker: async (client) =>
    assert.equal((await client.getSymbolPriceTicker({ symbols: [SYMBOL] }))[0].symbol, SYMBOL),
  getSymbolOrderBookTicker: async (client) =>
    assert.equal(Number((await client.getSymbolOrderBookTicker({ symbol: SYMBOL })).askPrice), 60_001),
  testNewOrder: async (client) =>
    assert.deepEqual(await client.testNewOrder({ symbol: SYMBOL, ...ORDERS.LIMIT }), {}),
  ...orderCases(
    {
      ...{ place: "submitNewOrder", find: "getOrder", cancel: "cancelOrder", list: "getOpenOrders" },
      ...{ listAll: "getAllOrders", cancelAll: "cancelAllSymbolOrders" },
    },
    {
      place,
      find: (client, { orderId }) => client.getOrder({ symbol: SYMBOL, orderId }),
      cancel: (client, { orderId }) => client.cancelOrder({ symbol: SYMBOL, orderId }),
      list: (client) => client.getOpenOrders({ symbol: SYMBOL }),
      listAll: (client) => client.getAllOrders({ symbol: SYMBOL }),
      cancelAll: (client) => client.cancelAllSymbolOrders({ symbol: SYMBOL }),
    },
  ),
  submitNewOCO: async (client) =>
    isList(
      await client.submitNewOCO({
        ...{ symbol: SYMBOL, side: "SELL", quantity: "0.001", price: "70000", stopPrice: "50000" },
      }),
      2,
    ),
  submitNewOrderList: async (client) => isList(await pair(client), 2),
  submitNewOrderListOTO: async (client) =>
    isList(await client.submitNewOrderListOTO({ symbol: SYMBOL, ...OTO }), 2),
  submitNewOrderListOTOCO: async (client) =>
    isList(await client.submitNewOrderListOTOCO({ symbol: SYMBOL, ...OTOCO }), 3),
  getOCO: async (client) => {
    const { orderListId } = await pair(client);
    isList(await client.getOCO({ orderListId }), 2);
  },
  cancelOCO: async (client) => {
    const { orderListId } = await pair(client);
    isList(await client.cancelOCO({ symbol: SYMBOL, orderListId }), 2);
  },
  getAllOCO: async (client) => assert.ok((await client.getAllOCO()).length > 0),
  getAllOpenOCO: async (client) => assert.ok(Array.isArray(await client.getAllOpenOCO())),
  getAccountInformation: async (client) => hasBalance((await client.getAccountInformation()).balances),
  getAccountTradeList: async (client) => {
    await place(client, AT_MARKET);
    const trades = await client.getAccountTradeList({ symbol: SYMBOL });
    assert.ok(trades.length > 0 && trades.every(({ symbol }) => symbol === SYMBOL));
  },
  getKlines: async (client) => isKlines(await client.getKlines({ symbol: SYMBOL, interval: "1m" })),
  replaceOrder: async (client) => {
    const order = await place(client, ORDERS.STOP_LOSS);
    const newClientOrderId = client.generateNewOrderId();
    const next = { symbol: SYMBOL, ...NEXT, cancelOrderId: order.orderId, newClientOrderId };
    isReplaced(await client.replaceOrder(next), order);
  },
  getUIKlines: async (client) => isKlines(await client.getUIKlines({ symbol: SYMBOL, interval: "1m" })),
  getRecentTrades: async (client) => areTrades(await client.getRecentTrades({ symbol: SYMBOL })),
  getHistoricalTrades: async (client) => areTrades(await client.getHistoricalTrades({ symbol: SYMBOL })),
  getAggregateTrades: async (client) => areAggTrades(await client.getAggregateTrades({ symbol: SYMBOL })),
};

export const cannot = {
  getServerTime:
    "The client always sends this request to the exchange, even if baseUrl names another server.",
  getHistoricalBlockTrades: "historicalBlockTrades",
  getRollingWindowTicker: "ticker",
  getTradingDayTicker: "ticker/tradingDay",
  submitNewSOROrder: "sor/order",
  testNewSOROrder: "sor/order/test",
  submitNewOrderListOPO: "orderList/opo",
  submitNewOrderListOPOCO: "orderList/opoco",
  getOrderRateLimit: "rateLimit/order",
  getCommissionRates: "account/commission",
  getPreventedMatches: "myPreventedMatches",
  getAllocations: "myAllocations",
  getExecutionRules: "executionRules",
  getReferencePrice: "referencePrice",
  getReferencePriceCalculation: "referencePrice/calculation",
  getSpotUserDataListenKey: "userDataStream",
  keepAliveSpotUserDataListenKey: "userDataStream",
  closeSpotUserDataListenKey: "userDataStream",
};

const subscribed =
  (subscribe) =>
  async ({ wsUrl }, listener) => {
    const client = new WebsocketClient({ wsUrl: `${wsUrl}/compat`, beautify: false });
    client.on("message", (message) => listener(message.data ?? message));
    client.on("exception", () => undefined);
    await subscribe(client);
    return () => client.closeAll(true);
  };

export const streams = {
  setup: '`new WebsocketClient({ wsUrl: wsUrl + "/compat" })`',
  cases: streamCases({
    subscribe: {
      open: subscribed((client) => client.subscribe(["btcusd@kline_1m"], "main")),
      check: EVENTS.kline,
    },
    subscribeSpotTrades: {
      open: subscribed((client) => client.subscribeSpotTrades(SYMBOL)),
      check: EVENTS.trade,
    },
    subscribeSpotKline: {
      open: subscribed((client) => client.subscribeSpotKline(SYMBOL, "1m")),
      check: EVENTS.kline,
    },
    subscribeSpotAggregateTrades: {
      open: subscribed((client) => client.subscribeSpotAggregateTrades(SYMBOL)),
      check: EVENTS.aggTrade,
    },
    subscribeSpotSymbol24hrTicker: {
      open: subscribed((client) => client.subscribeSpotSymbol24hrTicker(SYMBOL)),
      check: EVENTS.ticker,
    },
    subscribeSpotDiffBookDepth: {
      open: subscribed((client) => client.subscribeSpotDiffBookDepth(SYMBOL)),
      check: EVENTS.depth,
    },
    subscribeSpotPartialBookDepth: {
      open: subscribed((client) => client.subscribeSpotPartialBookDepth(SYMBOL, 5)),
      check: EVENTS.partialDepth,
    },
  }),
};
