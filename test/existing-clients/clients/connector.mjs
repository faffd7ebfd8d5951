import assert from "node:assert/strict";
import connector from "@binance/connector";
import { hasBalance, isBook, isList, isMarket, isTime, newId, ORDERS, PAIR, SYMBOL } from "../checks.mjs";
import { areAggTrades, areTrades, EVENTS, isKlines, streamCases } from "../market-cases.mjs";
import { AT_MARKET, isReplaced, NEXT, orderCases } from "../order-cases.mjs";

const { Spot, WebsocketStream } = connector;

export const name = "@binance/connector";
export const setup = '`new Spot(key, secret, { baseURL: url + "/compat" })`';

export const open = ({ url, key, secret }) => new Spot(key, secret, { baseURL: `${url}/compat` });

const place = async (client, { type, side, ...rest }) => {
  const newClientOrderId = newId();
  const { data } = await client.newOrder(SYMBOL, side, type, { ...rest, newClientOrderId });
  return data;
};

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
  ...orderCases(
    {
      ...{ place: "newOrder", find: "getOrder", cancel: "cancelOrder", list: "openOrders" },
      ...{ listAll: "allOrders", cancelAll: "cancelOpenOrders" },
    },
    {
      place,
      find: async (client, { orderId }) => (await client.getOrder(SYMBOL, { orderId })).data,
      cancel: async (client, { clientOrderId }) =>
        (await client.cancelOrder(SYMBOL, { origClientOrderId: clientOrderId })).data,
      list: async (client) => (await client.openOrders({ symbol: SYMBOL })).data,
      listAll: async (client) => (await client.allOrders(SYMBOL, { limit: 100 })).data,
      cancelAll: async (client) => (await client.cancelOpenOrders(SYMBOL)).data,
    },
  ),
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
    const { orderId } = await place(client, AT_MARKET);
    const { data } = await client.myTrades(SYMBOL);
    assert.ok(data.every(({ symbol, price }) => symbol === SYMBOL && Number(price) > 0));
    assert.ok(data.length > 0 && orderId !== undefined);
  },
  cancelAndReplace: async (client) => {
    const order = await place(client, ORDERS.STOP_LOSS);
    const { side, type, cancelReplaceMode, ...rest } = NEXT;
    const next = { ...rest, cancelOrderId: order.orderId, newClientOrderId: newId() };
    const { data } = await client.cancelAndReplace(SYMBOL, side, type, cancelReplaceMode, next);
    isReplaced(data, order);
  },
  klines: async (client) => isKlines((await client.klines(SYMBOL, "1m", { limit: 10 })).data),
  uiklines: async (client) => isKlines((await client.uiklines(SYMBOL, "1m")).data),
  trades: async (client) => areTrades((await client.trades(SYMBOL)).data),
  historicalTrades: async (client) => areTrades((await client.historicalTrades(SYMBOL)).data),
  aggTrades: async (client) => areAggTrades((await client.aggTrades(SYMBOL)).data),
};

export const cannot = {
  rollingWindowTicker: "ticker",
  createListenKey: "userDataStream",
  renewListenKey: "userDataStream",
  closeListenKey: "userDataStream",
  orderCount: "rateLimit/order",
};

const connected =
  (method, ...more) =>
  ({ wsUrl }, listener) => {
    const callbacks = { message: (text) => listener(JSON.parse(text)) };
    const quiet = {
      info: () => undefined,
      error: () => undefined,
      warn: () => undefined,
      debug: () => undefined,
    };
    const client = new WebsocketStream({ wsURL: `${wsUrl}/compat`, callbacks, logger: quiet });
    client[method](SYMBOL, ...more);
    return () => client.disconnect();
  };

export const streams = {
  setup: '`new WebsocketStream({ wsURL: wsUrl + "/compat", callbacks })`',
  cases: streamCases({
    trade: { open: connected("trade"), check: EVENTS.trade },
    aggTrade: { open: connected("aggTrade"), check: EVENTS.aggTrade },
    bookTicker: { open: connected("bookTicker"), check: EVENTS.bookTicker },
    diffBookDepth: { open: connected("diffBookDepth", "100ms"), check: EVENTS.depth },
    partialBookDepth: { open: connected("partialBookDepth", 10, "1000ms"), check: EVENTS.partialDepth },
    kline: { open: connected("kline", "1m"), check: EVENTS.kline },
    ticker: { open: connected("ticker"), check: EVENTS.ticker },
    miniTicker: { open: connected("miniTicker"), check: EVENTS.miniTicker },
  }),
};
