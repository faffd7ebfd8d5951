import type { Balances } from "../../src/ports/index.ts";
import {
  METHODS,
  type MethodDescriptor,
  ROUTES,
  type RouteDescriptor,
  type RouteName,
} from "../../src/requests/index.ts";
import type { RequestParameters } from "../../src/signing/index.ts";
import { type JsonObject, readJson } from "../../src/wire/index.ts";
import { type NativeWorld, openNativeWorld } from "./native-world.ts";
import {
  type Credentials,
  call,
  FAR_LIMIT,
  KEYS,
  LISTS,
  place,
  placeList,
  requestOf,
} from "./service-world.ts";
import { TestClient } from "./socket-world.ts";

/** The account that requests are about: user 2's, with one order of each kind. */
export const SUBJECT = 2;

/** The content of the subject account before a request. */
export type Standing = Readonly<{ orderId: number; nativeId: number; orderListId: number }>;

/** The order or list that a request creates, if any. */
export type Creates = "managed" | "native" | "nothing";

/** A request that the subject account's owner may make: its fields, and the created order. */
type Deed = Readonly<{ what: string; creates: Creates; fields: (standing: Standing) => RequestParameters }>;

type PublicName =
  | "status"
  | "exchangeInfo"
  | "instrumentPairs"
  | "ticker"
  | "ticker24hr"
  | "depth"
  | "ping"
  | "time";
type SignedName = Exclude<RouteName, PublicName> | "account.status";

const SYMBOL = { symbol: "BTC/USD" };
const NATIVE_LIMIT = {
  ...SYMBOL,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.01",
  price: "5000",
};

const deed = (fields: Deed["fields"], rest: Partial<Deed> = {}): readonly Deed[] => [
  { what: "", creates: "nothing", fields, ...rest },
];

const eachKind: readonly Deed[] = [
  ...deed(({ orderId }) => ({ ...SYMBOL, orderId }), { what: " of a managed order" }),
  ...deed(({ nativeId }) => ({ ...SYMBOL, orderId: nativeId }), { what: " of a native order" }),
];

const list = (form: keyof typeof LISTS): readonly Deed[] =>
  deed(() => ({ ...LISTS[form].fields, listClientOrderId: "asked" }), { creates: "managed" });

const PAGE = deed(() => ({ apiManaged: true }));
const LIST_KEY = deed(({ orderListId }) => ({ orderListId }));

/** The request for each signed route. A new route does not compile until it is listed here. */
const DEEDS: Readonly<Record<SignedName, readonly Deed[]>> = {
  "account.status": deed(() => ({})),
  "order.place": [
    ...deed(() => ({ ...FAR_LIMIT, newClientOrderId: "asked" }), {
      what: " of a managed order",
      creates: "managed",
    }),
    ...deed(() => ({ ...NATIVE_LIMIT, newClientOrderId: "asked" }), {
      what: " of a native order",
      creates: "native",
    }),
  ],
  "order.place.native": deed(() => ({ ...NATIVE_LIMIT, newClientOrderId: "asked" }), { creates: "native" }),
  "order.status": eachKind,
  "order.status.scaled": eachKind,
  "order.cancel": eachKind,
  "order.amend": deed(({ orderId }) => ({ ...SYMBOL, orderId, quantity: "2", amendId: "asked" })),
  "order.cancelReplace": deed(
    ({ orderId }) => ({
      ...{ ...FAR_LIMIT, newClientOrderId: "asked" },
      ...{ cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: orderId },
    }),
    { creates: "managed" },
  ),
  allOrders: deed(() => SYMBOL),
  orderHistory: deed(() => SYMBOL),
  "openOrders.status": PAGE,
  "openOrders.cancelAll": PAGE,
  "orderList.place.oco": list("oco"),
  "orderList.place.oto": list("oto"),
  "orderList.place.otoco": list("otoco"),
  "orderList.place.legacyOco": list("legacyOco"),
  "orderList.place.bracket": list("bracket"),
  "orderList.place.oca": list("oca"),
  "orderList.status": LIST_KEY,
  "orderList.cancel": LIST_KEY,
  "openOrderLists.status": deed(() => ({})),
  allOrderLists: deed(() => ({})),
};

/** The answer to a request: `text` is the comparable part, without the members that differ between any two answers. */
export type EntranceReply = Readonly<{ status: number; code: unknown; text: string }>;

/** The caller, the additional parameters, and the address. */
export type Querying = Readonly<{ key?: Credentials; extra?: RequestParameters; address?: string }>;

/** One entrance of the service that concerns an account: a route or a method, and its request. */
export type Entrance = Readonly<{
  name: string;
  access: "READ" | "TRADE";
  creates: Creates;
  ask: (world: AccountWorld, requesting?: Querying) => Promise<EntranceReply>;
}>;

/** A world in which the subject account has an order of each kind. */
export type AccountWorld = NativeWorld & Readonly<{ balances: Balances; standing: Standing }>;

/** Opens a world. */
export async function openAccountWorld(): Promise<AccountWorld> {
  const balances: Balances = { balances: () => [] };
  const world = await openNativeWorld({ service: { balances } });
  const key = KEYS.stranger;
  const managed = await place(world, {}, { key });
  const resting = await call(world, "POST", "/api/v2/order", { key, json: NATIVE_LIMIT });
  const pair = await placeList(world, "oco", {}, { key });
  for (const { status } of [managed, resting, pair]) if (status !== 200) throw new Error("not placed");
  const standing = {
    orderId: managed.body.orderId as number,
    nativeId: resting.body.orderId as number,
    orderListId: pair.body.orderListId as number,
  };
  return { ...world, balances, standing };
}

/** Every signed route with its aliases, and every method with its own, that concerns an account. */
export const ENTRANCES: readonly Entrance[] = [
  ...ROUTES.flatMap(entrancesOfRoute),
  ...METHODS.flatMap(entrancesOfMethod),
];

function entrancesOfRoute(route: RouteDescriptor): readonly Entrance[] {
  const { method, path, access } = route;
  if (access === "PUBLIC") return [];
  return deedsOf(route.name).map(({ what, creates, fields }) => ({
    ...{ name: `${method} ${path}${what}`, access, creates },
    async ask(world, { key = KEYS.owner, extra, address = "127.0.0.1" } = {}) {
      const own = { ...fields(world.standing), ...extra };
      const fresh = { nonce: world.nonce(), timestamp: world.clock.nowMs() };
      const sent = method === "POST" ? { json: own, query: fresh } : { query: { ...own, ...fresh } };
      const { status, headers, body } = await world.service.handle(
        requestOf(method, path, { key, address, ...sent }),
      );
      const {
        "X-Request-Id": _id,
        "X-MBX-USED-WEIGHT": _used,
        "X-MBX-USED-WEIGHT-1M": _minute,
        ...same
      } = headers;
      return {
        status,
        code: (readJson(body) as JsonObject).code,
        text: JSON.stringify([status, same, body]),
      };
    },
  }));
}

function entrancesOfMethod(method: MethodDescriptor): readonly Entrance[] {
  const { name, aliases, access } = method;
  if (access === "PUBLIC") return [];
  const deeds = "route" in method ? deedsOf(method.route.name) : deed(() => ({}));
  return [name, ...aliases].flatMap((called) =>
    deeds.map(({ what, creates, fields }) => ({
      ...{ name: `WebSocket ${called}${what}`, access, creates },
      async ask(world: AccountWorld, { key = KEYS.owner, extra, address = "127.0.0.1" }: Querying = {}) {
        const client = new TestClient(world, { address });
        const reply = await client.ask(called, { ...fields(world.standing), ...extra }, { key, id: "asked" });
        const { code } = (reply.error ?? {}) as JsonObject;
        const text = client.texts[client.messages.indexOf(reply)] ?? "";
        return { status: reply.status as number, code, text };
      },
    })),
  );
}

function deedsOf(name: string): readonly Deed[] {
  const deeds = (DEEDS as Readonly<Partial<Record<string, readonly Deed[]>>>)[name];
  if (deeds === undefined) throw new Error(`nothing is said of ${name}`);
  return deeds;
}
