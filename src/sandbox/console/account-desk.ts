/** What the page does for an account, without the page: it places, changes, cancels and follows orders. */
import {
  type CanceledOrderReply,
  type Client,
  type ClientOptions,
  createClient,
  createSocketClient,
  followOrders,
  localChecks,
  type ManagedOrderReply,
  type OrderUpdateMembers,
  UncertainOutcome,
} from "../../client/index.ts";
import type { AmendFields } from "../../requests/index.ts";
import { isOpen, OrderRows, type Outcome, type ShownOrder } from "./orders.ts";
import type { Request } from "./requests.ts";

/**
 * The address of the service and the key of an account. `clockKeepMs` is 0 for a sandbox whose clock is moved by hand: the
 * time that passes here does not pass there.
 */
export type Access = Readonly<{ baseUrl: string; apiKey: string; secret: string }> &
  Pick<ClientOptions, "clockKeepMs" | "recvWindowMs" | "settleMs">;

/** How current the orders are: all are current, the connection is lost, or nothing more comes. */
export type Sync =
  | Readonly<{ state: "lost" }>
  | Readonly<{ state: "synced"; missed: number | undefined }>
  | Readonly<{ state: "ended"; error: Error }>;

/** Returns how current the orders are, in words. `isAgain`: they were current before. */
export function syncText({ missed }: Extract<Sync, { state: "synced" }>, isAgain: boolean): string {
  if (!isAgain || missed === 0) return "Live";
  // A sandbox that was started again numbers its events anew.
  if (missed === undefined) return "Live again: all orders were read again";
  const events = missed === 1 ? "1 event was missed" : `${missed} events were missed`;
  return `Live again: ${events}, so all orders were read again`;
}

/** What a desk tells. */
export type DeskListener = Readonly<{
  orders: (orders: readonly ShownOrder[]) => void;
  execution: (members: OrderUpdateMembers) => void;
  ended: (order: ManagedOrderReply) => void;
  /** Balances by asset that have changed. */
  balances: (balances: Readonly<Record<string, string>>) => void;
  sync: (sync: Sync) => void;
  problem: (error: unknown) => void;
  /** Tells, in a sentence, that the outcome of a request is not known and is looked up. */
  reconciling: (sentence: string) => void;
}>;

/** The orders of one account. Its functions reject with errors of the client. */
export type AccountDesk = Readonly<{
  accountId: number;
  /** Places once. Resolves to what the service said or, if its reply was lost, to what a look-up has found. */
  place: (request: Request) => Promise<Outcome>;
  cancel: (order: ManagedOrderReply) => Promise<Outcome>;
  /** Changes fields of an order in place, once. */
  amend: (order: ManagedOrderReply, changes: AmendFields) => Promise<Outcome>;
  cancelAll: () => Promise<Outcome>;
  /** Takes in why an order has ended. */
  explain: (orderId: string, reason: string) => void;
  close: () => void;
}>;

/** Orders that are read at once: the newest, which are open, held or ended. */
const PAGE = { includeHistory: true, newestFirst: true, limit: 100 } as const;
/** Open orders that are read beside them, because an order may be open for long. */
const OPEN = { newestFirst: true, limit: 1_000 } as const;
/**
 * Open orders are read again after this time. The stream tells nothing of a child that is under way, of a cancel that
 * waits for it, or of a limit that moves with the market.
 */
const READ_AGAIN_MS = 2_000;
/** A person would wait in vain for a wrong address. */
const CONNECT_MS = 15_000;

/** Connects with a key. Rejects with the error of the client, which contains neither key nor secret. */
export async function openDesk(access: Access, listener: DeskListener): Promise<AccountDesk> {
  const client = createClient({ ...access, checks: localChecks });
  const accountId = await accountOf(access);
  const rows = new OrderRows();
  const stream = followOrders({ ...access, account: accountId, readyMs: CONNECT_MS });
  let isClosed = false;
  let isBehind = false;
  const refresh = repeatable(
    async () => {
      const orders = await readOrders(client);
      isBehind = false;
      // A page that arrives after the end is of nobody's account any more.
      if (!isClosed) listener.orders(rows.read(orders, stream.orders));
    },
    (error) => {
      if (!isClosed && !isBehind) listener.problem(error);
      isBehind = true;
    },
  );
  const reading = setInterval(() => {
    if (isBehind || rows.hasOpen) refresh();
  }, READ_AGAIN_MS);
  const close = (): void => {
    isClosed = true;
    clearInterval(reading);
    stream.close();
  };
  stream.on("order", ({ order, event }) => {
    if (event?.o.x === "TRADE") listener.execution(event.o);
    const known = rows.apply(order, event?.o);
    if (known !== undefined) {
      listener.orders(known);
      const ended = known.find(({ orderId }) => orderId === order.orderId);
      if (ended !== undefined && !isOpen(ended)) listener.ended(ended);
    }
    refresh();
  });
  stream.on("list", refresh);
  stream.on("forgotten", refresh);
  stream.on("account", ({ event }) =>
    listener.balances(Object.fromEntries(event.a.B.map(({ a, wb }) => [a, wb]))),
  );
  stream.on("synced", ({ missed }) => {
    listener.sync({ state: "synced", missed });
    refresh();
  });
  stream.on("lost", () => listener.sync({ state: "lost" }));
  try {
    await stream.ready;
  } catch (error) {
    close();
    throw error;
  }
  void stream.ended.then((error) => {
    if (error !== undefined) listener.sync({ state: "ended", error });
  });
  const explain = (orderId: string, reason: string): void => {
    if (!isClosed) listener.orders(rows.explain(orderId, reason));
  };
  return { accountId, ...actionsOf(client, { report: listener.reconciling, refresh }), explain, close };
}

/** Reads the newest orders, and all open ones that are older. */
async function readOrders(client: Client): Promise<readonly ManagedOrderReply[]> {
  const { orders, nextOrderId } = await client.openOrders({ ...PAGE });
  if (nextOrderId === "0") return orders;
  const read = new Set(orders.map(({ orderId }) => orderId));
  const open = await client.openOrders({ ...OPEN });
  return [...orders, ...open.orders.filter(({ orderId }) => !read.has(orderId))];
}

/** The service names the account of a key when it accepts a subscription. */
async function accountOf(access: Access): Promise<number> {
  const socket = createSocketClient(access);
  try {
    return (await socket.subscribe()).accountId;
  } finally {
    socket.close();
  }
}

function actionsOf(
  client: Client,
  { report, refresh }: Readonly<{ report: DeskListener["reconciling"]; refresh: () => void }>,
): Pick<AccountDesk, "place" | "cancel" | "amend" | "cancelAll"> {
  const act = (send: () => Promise<Outcome>): Promise<Outcome> => certain(send, report).finally(refresh);
  return {
    place: (request) => act(() => placed(client, request)),
    cancel: ({ symbol, orderId, orderListId, clientOrderId }) =>
      act(async () => {
        const reply = await client.cancelOrder({ symbol, orderId });
        const list = orderListId === "-1" ? "" : " with its list";
        return isPending(reply)
          ? {
              text: `The cancel of ${clientOrderId}${list} waits for the venue: what was sent may still be filled.`,
              tone: "work",
            }
          : `Canceled ${clientOrderId}${list}.`;
      }),
    amend: ({ symbol, orderId, clientOrderId }, changes) =>
      act(async () => {
        await client.amendOrder({ symbol, orderId, ...changes });
        return `Changed ${clientOrderId}.`;
      }),
    cancelAll: () =>
      act(async () => {
        const { canceledCount, cancelPendingCount } = await client.cancelOpenOrders();
        const text = `Canceled ${counted(canceledCount)}`;
        return cancelPendingCount === 0
          ? `${text}.`
          : { text: `${text}; ${counted(cancelPendingCount)} still waiting for the venue.`, tone: "work" };
      }),
  };
}

const counted = (count: number): string => `${count} ${count === 1 ? "order" : "orders"}`;

/** Whether a cancel takes effect later: a child is in flight. */
function isPending(reply: CanceledOrderReply): boolean {
  const orders = reply.orderReports ?? (reply.apiManaged === true ? [reply] : []);
  return orders.some(({ cancelPending }) => cancelPending);
}

async function placed(client: Client, request: Request): Promise<string> {
  if (request.form === "order") {
    const { clientOrderId } = await client.placeOrder(request.order);
    return `Accepted ${clientOrderId}.`;
  }
  const { listClientOrderId, orders } = await placedList(client, request);
  return `Accepted ${listClientOrderId}: ${orders.length} orders.`;
}

function placedList(
  client: Client,
  request: Exclude<Request, { form: "order" }>,
): ReturnType<Client["placeOco"]> {
  if (request.form === "oco") return client.placeOco(request.list);
  if (request.form === "oto") return client.placeOto(request.list);
  return client.placeOtoco(request.list);
}

/**
 * Sends a request. If its outcome is not known, tells that at once, and resolves when it has been looked up: a person who
 * sends it again before could have it twice.
 */
async function certain(send: () => Promise<Outcome>, report: DeskListener["reconciling"]): Promise<Outcome> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof UncertainOutcome)) throw error;
    const name = error.clientOrderId ?? error.listClientOrderId ?? "the request";
    report(`The service did not say what became of ${name}. It is looked up, which can take a minute.`);
    const { state } = await error.reconcile().catch(() => ({ state: "unknown" as const }));
    return { text: `Looked up: ${name} is ${state}.`, tone: TONES[state] };
  }
}

/** Only what was wanted looks like a success. */
const TONES = {
  placed: "good",
  "not placed": "bad",
  canceled: "good",
  "not canceled": "bad",
  amended: "good",
  "not amended": "bad",
  unknown: "bad",
} as const;

/** Returns a function that runs a step, and once more if it was called meanwhile: many calls become two. */
function repeatable(act: () => Promise<void>, failed: (error: unknown) => void): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    do {
      isWanted = false;
      await act().catch(failed);
    } while (isWanted);
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}
