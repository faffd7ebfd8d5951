/** What the page does, without the page: it previews, places and cancels orders, and follows orders and a book. */
import {
  type Client,
  type ClientOptions,
  createClient,
  followOrders,
  type LevelReply,
  localChecks,
  type OrderState,
  openOrderBook,
  preview,
  RefusedError,
  TransportError,
  UncertainOutcome,
} from "managed-orders/client";
import { type Draft, linesOf, orderOf } from "./draft.ts";

/** The service and the key of an account. `fetch` is for tests. */
export type Access = Readonly<{ baseUrl: string; apiKey: string; secret: string }> &
  Pick<ClientOptions, "fetch">;

/** What the page shows all the time. */
export type View = Readonly<{
  /** Newest first. */
  orders: readonly OrderState[];
  bids: readonly LevelReply[];
  asks: readonly LevelReply[];
  /** Why orders or book are not current any more; undefined while they are. */
  problem: string | undefined;
}>;

/** The connection of the page to the service. Every text may be shown: none contains the key or the secret. */
export type Trader = Readonly<{
  /** Returns what the service would answer now, in lines. */
  preview: (draft: Draft) => Promise<readonly string[]>;
  /** Places the order once. If the reply is lost, looks up what became of it. */
  place: (draft: Draft) => Promise<string>;
  cancel: (order: OrderState) => Promise<string>;
  close: () => void;
}>;

const SHOWN_LEVELS = 5;
/** The stream tries again by itself for as long as it is open. A person would wait in vain for a wrong address. */
const CONNECT_MS = 20_000;
const INVALID_SIGNATURE = -1022;

/**
 * Connects to the service and calls `show` with each change. This and all functions of the trader reject with an Error
 * whose message says what is wrong.
 */
export async function openTrader(
  access: Access,
  symbol: string,
  show: (view: View) => void,
): Promise<Trader> {
  const client = await inWords(() => reached(createClient({ ...access, checks: localChecks })));
  const stream = followOrders(access);
  const book = openOrderBook({ baseUrl: access.baseUrl, symbol });
  const close = (): void => {
    stream.close();
    book.close();
  };
  const tooLong = setTimeout(close, CONNECT_MS);
  try {
    await inWords(() => stream.ready);
  } catch (error) {
    close();
    throw error;
  } finally {
    clearTimeout(tooLong);
  }

  let problem: string | undefined;
  const update = (): void => {
    const [bids, asks] = [book.bids.slice(0, SHOWN_LEVELS), book.asks.slice(0, SHOWN_LEVELS)];
    show({ orders: [...stream.orders.values()].reverse(), bids, asks, problem });
  };
  stream.on("order", update);
  stream.on("synced", update);
  book.on("changed", update);
  book.on("lost", update);
  for (const { ended } of [stream, book]) {
    void ended.then((reason) => {
      if (reason === undefined) return;
      problem = explain(reason);
      update();
    });
  }
  update();

  return {
    preview: (draft) => inWords(async () => linesOf(await preview(client, orderOf(symbol, draft)))),
    place: (draft) =>
      certain(async () => {
        const { clientOrderId, type, status } = await client.placeOrder(orderOf(symbol, draft));
        return `Placed ${type} ${clientOrderId}: ${status}`;
      }),
    cancel: ({ symbol: market, orderId, clientOrderId }) =>
      certain(async () => {
        await client.cancelOrder({ symbol: market, orderId });
        return `Canceled ${clientOrderId}`;
      }),
    close,
  };
}

/** Sends a request. If its reply is lost, looks up what became of it, which can take a minute. */
async function certain(send: () => Promise<string>): Promise<string> {
  return await inWords(async () => {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof UncertainOutcome)) throw error;
      const { state } = await error.reconcile();
      const order = error.clientOrderId ?? "The order";
      return `The reply was lost. ${order}: ${state}`;
    }
  });
}

/** Asks the service for a sign of life, so that a wrong address or a refused origin is told at once. */
async function reached(client: Client): Promise<Client> {
  await client.ping();
  return client;
}

async function inWords<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new Error(explain(error), { cause: error });
  }
}

/** Returns an error as a sentence for a person. Errors of the client contain no secrets. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return "Unknown error";
  if (error instanceof TransportError && error.reason === "connection")
    return "The service cannot be reached. Does it run at this address, and does it allow pages of this origin?";
  if (error instanceof RefusedError && error.code === INVALID_SIGNATURE)
    return "The service refused the signature. Is the secret that of the key?";
  return error.message;
}
