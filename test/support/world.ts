import {
  createManualClock,
  createMemoryAccounts,
  createMemoryDisk,
  createMemoryExposure,
  createMemoryInstruments,
  createMemoryStore,
  type ManualClock,
  type MemoryAccounts,
  type MemoryDisk,
  type MemoryExposure,
} from "../../src/adapters/memory/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import {
  type Alert,
  type Engine,
  type EngineOptions,
  type EngineSettings,
  type ListUpdate,
  type OrderUpdate,
  openEngine,
  type StatusUpdate,
} from "../../src/engine/index.ts";
import { statusOf } from "../../src/lifecycle/index.ts";
import type { Instrument, ListIntent, OrderList, ParentOrder } from "../../src/model/index.ts";
import type {
  ExecutionVenue,
  Instruments,
  LevelInput,
  OrderStore,
  PrintInput,
  QuoteVerdict,
} from "../../src/ports/index.ts";
import {
  type ListCommonFields,
  type ListFields,
  type ListForm,
  listIntent,
  type OrderFields,
} from "../../src/requests/index.ts";
import { createScriptedVenue, type ScriptedVenue } from "./scripted-venue.ts";

export const START_MS = 1_760_000_000_000;
export const SYMBOL = "BTC/USD";
export const ACCOUNT = 1;

export const INSTRUMENTS: readonly Instrument[] = [
  {
    id: 1,
    symbol: SYMBOL,
    aliases: ["BTCUSD", "BTC-USD"],
    baseAsset: "BTC",
    quoteAsset: "USD",
    name: "Bitcoin",
    kind: "liquidity",
    status: "TRADING",
  },
  {
    id: 2,
    symbol: "ETH/USD",
    aliases: ["ETHUSD", "ETH-USD"],
    baseAsset: "ETH",
    quoteAsset: "USD",
    name: "Ether",
    kind: "liquidity",
    status: "TRADING",
  },
  {
    id: 9,
    symbol: "STETH/USD",
    aliases: [],
    baseAsset: "STETH",
    quoteAsset: "USD",
    name: "Staked Ether",
    kind: "staking",
    status: "TRADING",
  },
];

/** An engine in a small world that a test controls: time, quotes, venue, store. */
export type World = {
  engine: Engine;
  readonly venue: ScriptedVenue;
  readonly clock: ManualClock;
  readonly disk: MemoryDisk;
  readonly accounts: MemoryAccounts;
  readonly exposure: MemoryExposure;
  /** The events of every engine of this world so far. */
  readonly updates: OrderUpdate[];
  readonly lists: ListUpdate[];
  readonly alerts: Alert[];
  readonly statuses: StatusUpdate[];
  /** Names of the messages to the operator. */
  readonly reported: string[];
  /** Feeds a quote with unlimited sizes, or with these, and waits until all work is done. */
  quote(bid: string, ask: string, more?: QuoteMore): Promise<QuoteVerdict>;
  /** Reports an executed trade, by default an external one of now at 100, and waits until all work is done. */
  print(quantity: string, more?: Partial<PrintInput>): Promise<void>;
  /** Advances time; a heartbeat keeps the quote fresh by default. */
  pass(ms: number, options?: Readonly<{ heartbeat?: boolean }>): Promise<void>;
  place(order: Partial<OrderFields>, accountId?: number): Promise<ParentOrder>;
  /** Places a list; missing ids are generated here, of the list and of every leg. */
  placeList<F extends ListForm>(form: F, fields: SomeListFields<F>, accountId?: number): Promise<OrderList>;
  list(of: OrderList | number): Promise<OrderList>;
  /** The state of each leg of a list, in the order in which they are shown. */
  legs(of: OrderList | number): Promise<readonly string[]>;
  order(of: ParentOrder | number): Promise<ParentOrder>;
  status(of: ParentOrder | number): Promise<string>;
  /** The executed quantity, as text. */
  executed(of: ParentOrder | number): Promise<string>;
  cancel(of: ParentOrder): Promise<ParentOrder>;
  cancelList(of: OrderList): Promise<OrderList>;
  /** Kinds of all facts of an order, oldest first. */
  facts(of: ParentOrder): Promise<readonly string[]>;
  /** Leaves the engine as a crash would, and opens another on the same disk. */
  crash(): Promise<void>;
};

/** The fields of a list, with or without its symbol and its id. */
export type SomeListFields<F extends ListForm> = Omit<ListFields[F], keyof ListCommonFields> &
  Partial<ListCommonFields>;

/**
 * The intent of a list on {@link SYMBOL}; every call generates other ids for legs without one, as another request
 * would.
 */
export function listOf<F extends ListForm>(form: F, fields: SomeListFields<F>): ListIntent {
  const whole = { symbol: SYMBOL, listClientOrderId: `list-${++generated}`, ...fields };
  return listIntent(form, whole as ListFields[F], { clientId: (field) => `${field}-${++generated}` });
}

let generated = 0;

/** The state of an order in one line, such as "NEW WAITING". */
export function lineOf(order: ParentOrder): string {
  const view = statusOf(order);
  return `${view.status} ${view.apiState}${view.cancelPending ? " cancelPending" : ""}`;
}

/** Sizes at the best prices, whole sides, and a time, where the quote needs them. */
export type QuoteMore = Readonly<{
  bid?: string;
  ask?: string;
  bids?: readonly LevelInput[];
  asks?: readonly LevelInput[];
  timeMs?: number;
}>;

export type WorldOptions = Readonly<{
  settings?: Partial<EngineSettings>;
  venue?: ScriptedVenue;
  /** A venue of another kind, in place of the scripted one. */
  executes?: (clock: ManualClock) => ExecutionVenue;
  store?: (disk: MemoryDisk) => OrderStore;
  probe?: EngineOptions["probe"];
  exposure?: EngineOptions["exposure"] | ((clock: ManualClock) => EngineOptions["exposure"]);
  accounts?: EngineOptions["accounts"];
  instruments?: readonly Instrument[];
  /** A catalogue in the place of these instruments. */
  catalogue?: Instruments;
  volumeHistory?: EngineOptions["volumeHistory"];
  /** A source of quotes and prints beside those that the test feeds itself. */
  marketData?: EngineOptions["marketData"];
  clock?: (clock: ManualClock) => EngineOptions["clock"];
  /** Receives the name of every message of the engine to its operator. */
  report?: (name: string) => unknown;
}>;

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createManualClock({ startMs: START_MS });
  const disk = createMemoryDisk();
  const venue = options.venue ?? createScriptedVenue();
  const accounts = createMemoryAccounts([accountEntry(ACCOUNT), accountEntry(2)]);
  const exposure = createMemoryExposure([], 0);
  const positions =
    typeof options.exposure === "function" ? options.exposure(clock) : (options.exposure ?? exposure);
  const executes = options.executes?.(clock) ?? venue;
  let tokens = 0;
  let prints = 0;
  const updates: OrderUpdate[] = [];
  const lists: ListUpdate[] = [];
  const alerts: Alert[] = [];
  const statuses: StatusUpdate[] = [];
  const reported: string[] = [];
  const open = async (): Promise<Engine> => {
    const engine = await openEngine({
      store: options.store?.(disk) ?? createMemoryStore({ disk }),
      instruments: options.catalogue ?? createMemoryInstruments(options.instruments ?? INSTRUMENTS),
      accounts: options.accounts ?? accounts,
      exposure: positions,
      venue: executes,
      clock: options.clock?.(clock) ?? clock,
      telemetry: {
        event(_level, name) {
          reported.push(name);
          options.report?.(name);
        },
      },
      entropy: { token: (length) => String(++tokens).padStart(length, "t") },
      settings: { advancedOrders: true, ...options.settings },
      ...(options.volumeHistory && { volumeHistory: options.volumeHistory }),
      ...(options.marketData && { marketData: options.marketData }),
      ...(options.probe === undefined ? {} : { probe: options.probe }),
    });
    engine.events.on("order", (update) => void updates.push(update));
    engine.events.on("list", (update) => void lists.push(update));
    engine.events.on("status", (update) => void statuses.push(update));
    // Alerts of the condition of the engine repeat its status.
    engine.events.on("alert", (alert) => {
      if (!statuses.some(({ change }) => change === alert.alert)) alerts.push(alert);
    });
    return engine;
  };
  const world: World = {
    engine: await open(),
    venue,
    clock,
    disk,
    accounts,
    exposure,
    updates,
    lists,
    alerts,
    statuses,
    reported,
    async quote(bid, ask, { bid: bidQuantity, ask: askQuantity, ...more } = {}) {
      const sizes = { ...(bidQuantity && { bidQuantity }), ...(askQuantity && { askQuantity }) };
      const verdict = world.engine.market.quote({ symbol: SYMBOL, bid, ask, ...sizes, ...more });
      await world.engine.idle();
      return verdict;
    },
    async print(quantity, more = {}) {
      const id = `print-${++prints}`;
      const timeMs = clock.nowMs();
      world.engine.market.print({ symbol: SYMBOL, price: "100", quantity, id, timeMs, ...more });
      await world.engine.idle();
    },
    async pass(ms, { heartbeat = true } = {}) {
      await clock.advanceBy(ms, () => world.engine.idle());
      if (heartbeat) world.engine.market.heartbeat(SYMBOL);
      await world.engine.idle();
    },
    async place(order, accountId = ACCOUNT) {
      const fields = {
        symbol: SYMBOL,
        side: "BUY",
        type: "SYNTHETIC_LIMIT",
        quantity: "1",
        ...order,
      } as OrderFields;
      return (await world.engine.place({ accountId, order: fields })).order;
    },
    async placeList(form, fields, accountId = ACCOUNT) {
      return (await world.engine.placeList({ accountId, list: listOf(form, fields) })).list;
    },
    async list(of) {
      const listId = typeof of === "number" ? of : of.listId;
      const accountId = typeof of === "number" ? ACCOUNT : of.accountId;
      const found = await world.engine.findList({ accountId, listId });
      if (found === undefined) throw new Error("the list is not there");
      return found;
    },
    legs: async (of) => (await world.list(of)).legs.map(lineOf),
    async order(of) {
      const found = await world.engine.findAny(typeof of === "number" ? of : of.orderId);
      if (found === undefined) throw new Error("the order is not there");
      return found;
    },
    status: async (of) => lineOf(await world.order(of)),
    executed: async (of) => formatQuantity((await world.order(of)).executedQuantity),
    cancel: ({ accountId, orderId }) => world.engine.cancel({ accountId, orderId }),
    cancelList: ({ accountId, listId }) => world.engine.cancelList({ accountId, listId }),
    async facts({ orderId }) {
      const story = await world.engine.story(orderId);
      const changes = story?.records.flatMap((record) => record.changes) ?? [];
      return changes
        .filter((change) => change.orderId === orderId)
        .flatMap(({ facts }) => facts.map(({ kind }) => kind));
    },
    async crash() {
      world.engine = await open();
      await world.engine.idle();
    },
  };
  return world;
}

/** An account with a key of its owner. */
export function accountEntry(
  accountId: number,
): Parameters<typeof createMemoryAccounts>[0] extends readonly (infer E)[] | undefined ? E : never {
  return {
    account: { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false },
    keys: [
      {
        apiKey: `key-${accountId}`,
        secret: `secret-${accountId}`,
        userId: accountId,
        accountId,
        permissions: ["READ", "TRADE"],
        ipAllowlist: [],
      },
    ],
  };
}
