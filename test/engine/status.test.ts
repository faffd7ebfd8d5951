import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { Core } from "../../src/engine/core/core.ts";
import { EventStream } from "../../src/engine/core/event-stream.ts";
import { isQuiet, STATUS_ENDS, type StatusKind } from "../../src/engine/core/events.ts";
import {
  type Alert,
  DEFAULT_SETTINGS,
  type EngineStatus,
  type StatusUpdate,
} from "../../src/engine/index.ts";
import { StatusBoard, type StatusParts } from "../../src/engine/status/status-board.ts";
import { createFaultyWorld, turns } from "../support/faulty-world.ts";
import { fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, SYMBOL, type World } from "../support/world.ts";

const kinds = ({ reasons }: EngineStatus): readonly string[] => reasons.map(({ kind }) => kind);
const changes = (world: World): readonly string[] => world.statuses.map(({ change }) => change);
const stateOf = (world: World): readonly string[] => {
  const status = world.engine.status();
  return [status.system, ...kinds(status)];
};

/** The alerts that a host receives, including those of the engine's condition. */
function alertsOf(world: World): readonly Alert[] {
  const alerts: Alert[] = [];
  world.engine.events.on("alert", (alert) => void alerts.push(alert));
  return alerts;
}

describe("the condition of an engine", () => {
  it("is normal, and draining once it drains, which is reported once", async () => {
    const world = await createWorld();
    expect(world.engine.status()).toEqual({ system: "normal", reasons: [] });
    world.engine.drain();
    world.engine.drain();
    expect(stateOf(world)).toEqual(["draining", "DRAINING"]);
    expect(changes(world)).toEqual(["DRAINING"]);
  });

  it("is degraded while quotes are missing or the outcome of a child is unknown", async () => {
    const world = await createWorld();
    await world.place({ price: "100" });
    world.venue.onSubmit = () => new Error("no connection");
    world.venue.onLookup = () => new Error("no connection");
    await world.quote("99", "100");
    expect(stateOf(world)).toEqual(["degraded", "CHILD_UNKNOWN"]);
    await world.pass(DEFAULT_SETTINGS.quoteMaxAgeMs + 1, { heartbeat: false });
    expect(stateOf(world)).toEqual(["degraded", "QUOTES_STOPPED", "CHILD_UNKNOWN"]);
  });

  it("tells that the outcome of a child is unknown, and that it is known again, without an alert", async () => {
    const world = await createWorld();
    const alerts = alertsOf(world);
    await world.place({ price: "100" });
    world.venue.onSubmit = () => new Error("no connection");
    world.venue.onLookup = () => new Error("no connection");
    await world.quote("99", "100");
    expect(changes(world)).toEqual(["CHILD_UNKNOWN"]);
    expect(world.engine.metrics().conditions.CHILD_UNKNOWN).toEqual({ stands: true, begun: 1 });
    world.venue.onLookup = ({ childId }) => reported(childId, "closed", [fillOf({ quantity: "1" })]);
    await world.pass(DEFAULT_SETTINGS.reconcileEveryMs);
    expect(changes(world)).toEqual(["CHILD_UNKNOWN", "CHILDREN_KNOWN"]);
    expect(world.engine.metrics().conditions.CHILD_UNKNOWN).toEqual({ stands: false, begun: 1 });
    expect(alerts).toEqual([]);
  });

  it("is degraded from a failed append to the next successful one; each is an event and an alert, once", async () => {
    const { world, store } = await createFaultyWorld();
    const alerts = alertsOf(world);
    store().inject("fail", 2);
    for (let n = 0; n < 2; n++) await world.place({ price: "100" }).catch(() => undefined);
    expect(stateOf(world)).toEqual(["degraded", "STORE_FAILING"]);
    await world.place({ price: "100" });
    expect(stateOf(world)).toEqual(["normal"]);
    expect(changes(world)).toEqual(["STORE_FAILING", "STORE_RECOVERED"]);
    expect(world.statuses.map(({ status }) => status.system)).toEqual(["degraded", "normal"]);
    expect(alerts.map(({ alert, orderId }) => [alert, orderId])).toEqual([
      ["STORE_FAILING", undefined],
      ["STORE_RECOVERED", undefined],
    ]);
  });

  it.each(["SQLITE_FULL", "ENOSPC", "EDQUOT"])("names a full disk: %s", async (code) => {
    let isFull = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          append: async (batch) => {
            if (isFull) throw Object.assign(new Error("database or disk is full"), { code });
            return await store.append(batch);
          },
        };
      },
    });
    isFull = true;
    await expect(world.place({ price: "100" })).rejects.toMatchObject({ code: -1001 });
    expect(stateOf(world)).toEqual(["degraded", "DISK_FULL"]);
    isFull = false;
    await world.place({ price: "100" });
    expect(changes(world)).toEqual(["DISK_FULL", "STORE_RECOVERED"]);
  });

  it("a store that does not answer counts as failing until it answers", async () => {
    const { world, store } = await createFaultyWorld();
    store().inject("slow");
    const placing = world.place({ price: "100" });
    placing.catch(() => undefined);
    await turns();
    await world.clock.advanceBy(DEFAULT_SETTINGS.hostTimeoutMs);
    expect(stateOf(world)).toEqual(["degraded", "STORE_FAILING"]);
    store().inject("none");
    store().release();
    await world.engine.idle();
    expect(stateOf(world)).toEqual(["normal"]);
  });

  it("stays failing while a shard cannot be read, even if others are written", async () => {
    const { world, store } = await createFaultyWorld({
      report: (name) => name === "append.failed" && store().inject("fail-reads", 1),
    });
    store().inject("fail", 1);
    await world.place({ price: "100" }).catch(() => undefined);
    await world.place({ price: "100" }, 2);
    expect(stateOf(world)).toEqual(["degraded", "STORE_FAILING"]);
    await world.pass(DEFAULT_SETTINGS.retryMaxMs);
    await world.place({ price: "100" }, 2);
    expect(stateOf(world)).toEqual(["normal"]);
  });

  it("is degraded for good when another engine owns a shard", async () => {
    const world = await createWorld();
    const alerts = alertsOf(world);
    const first = world.engine;
    const order = await world.place({ price: "100" });
    await world.crash();
    await expect(first.cancelAll(1)).rejects.toMatchObject({ reason: "SHARD_FENCED", code: -1001 });
    await expect(first.findAny(order.orderId)).rejects.toMatchObject({ reason: "SHARD_FENCED" });
    const status = first.status();
    expect([status.system, ...kinds(status)]).toEqual(["degraded", "SHARD_FENCED"]);
    expect(alerts.map(({ alert }) => alert)).toEqual(["SHARD_FENCED"]);
    expect(stateOf(world)).toEqual(["normal"]);
  });

  it("a listener that throws disturbs neither the engine nor the others", async () => {
    const world = await createWorld();
    world.engine.events.on("status", () => {
      throw new Error("broken listener");
    });
    world.engine.drain();
    expect(changes(world)).toEqual(["DRAINING"]);
    expect(world.reported).toContain("listener.failed");
  });
});

describe("I64: writes that the market journal misses", () => {
  it("the number of waiting prints is limited; further ones do not count, and the status shows how many once it is over", async () => {
    const { world, store } = await createFaultyWorld({ settings: { maxPendingPrints: 3 } });
    await world.print("1");
    store().inject("fail");
    for (let n = 0; n < 5; n++) await world.print("1");
    expect(world.engine.metrics()).toMatchObject({ printsCounted: 4, printsDropped: 2 });
    expect(stateOf(world)).toEqual(["degraded", "STORE_FAILING", "VOLUME_NOT_COUNTED"]);
    store().inject("none");
    await world.pass(1_000);
    expect(changes(world)).toEqual([
      "STORE_FAILING",
      "VOLUME_NOT_COUNTED",
      "STORE_RECOVERED",
      "VOLUME_COUNTED",
    ]);
    expect(world.statuses.at(-1)?.detail).toBe("2 executed trades were not counted");
    expect(stateOf(world)).toEqual(["normal"]);
    await world.print("1");
    const bars = (engine: World["engine"]): Promise<readonly { quantity: unknown }[]> =>
      Promise.resolve(engine.volumes.minutes({ symbol: SYMBOL, fromMs: 0, toMs: 2e12 }));
    const counted = await bars(world.engine);
    await world.crash();
    expect(await bars(world.engine)).toEqual(counted);
  });

  it("marks that a reference may need wait; after the failure none is missing", async () => {
    const batches: number[] = [];
    let fails = false;
    const world = await createWorld({
      store: (disk) => {
        const store = createMemoryStore({ disk });
        return {
          ...store,
          append: async (batch) => {
            const marks = batch.shards.flatMap((part) => part.marks ?? []);
            if (marks.length > 0) batches.push(marks.length);
            if (fails) throw new Error("the store is away");
            return await store.append(batch);
          },
        };
      },
    });
    const order = await world.place({
      side: "SELL",
      type: "TRAILING_STOP_MARKET",
      trailingAmount: "5",
      stopPrice: "100",
    });
    await world.quote("100", "200");
    fails = true;
    for (let bid = 101; bid <= 160; bid++) {
      await world.quote(String(bid), "200");
      await world.pass(200);
    }
    expect(Math.max(...batches)).toBeLessThanOrEqual(2);
    fails = false;
    await world.pass(1_000);
    await world.crash();
    await world.quote("156", "200");
    expect(await world.status(order)).toBe("NEW WAITING");
    await world.quote("155", "200");
    expect(await world.status(order)).toBe("FILLED FILLED");
  });
});

/** What the parts that a board watches say. */
type Watched = { unknown: number; summary: string | undefined; stopped: string[] };

function openBoard() {
  const reported: Readonly<{ name: string; change: unknown }>[] = [];
  const updates: StatusUpdate[] = [];
  const alerts: Alert[] = [];
  const timers: (() => void)[] = [];
  let nowMs = 0;
  const core = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    settings: { submitDeadlineMs: 1_000, stalledAfterMs: 10_000 },
    counters: { alerts: 0 },
    reporterOf: () => () => undefined,
    telemetry: {
      isOwn: true,
      event: (_level: string, name: string, fields: { change: unknown }) =>
        void reported.push({ name, change: fields.change }),
    },
  } as unknown as Core;
  const stream = new EventStream(core);
  stream.events.on("status", (update) => void updates.push(update));
  stream.events.on("alert", (alert) => void alerts.push(alert));
  const watched: Watched = { unknown: 0, summary: undefined, stopped: [] };
  const parts = {
    ...{ stream, reconciler: watched, stalls: watched },
    shards: { all: [] },
    market: { writes: true, stopped: [], tape: { isFull: false } },
    quotes: {
      get stopped() {
        return watched.stopped;
      },
      causeOf: () => "no quote comes",
    },
    timers: { after: (_ms: number, run: () => void) => void timers.push(run) },
  } as unknown as StatusParts;
  const board = new StatusBoard(core, parts);
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const run of timers.splice(0)) run();
  };
  return { board, watched, reported, updates, alerts, pass };
}

type Open = ReturnType<typeof openBoard>;
const nothing = (): void => undefined;

/** How each condition begins, and how it ends. */
const CAUSES: Readonly<Record<StatusKind, readonly [(open: Open) => void, (open: Open) => void]>> = {
  DRAINING: [({ board }) => board.draining(), nothing],
  CLOSED: [({ board }) => board.closed("closed"), nothing],
  STORE_FAILING: [({ board }) => board.storeFailed(new Error("away")), ({ board }) => board.storeWorked()],
  DISK_FULL: [({ board }) => board.storeFailed({ code: "ENOSPC" }), ({ board }) => board.storeWorked()],
  SHARD_FENCED: [({ board }) => board.fenced(7), nothing],
  LEASE_LAPSED: [({ board }) => board.leaseFailed("LEASE_LAPSED"), ({ board }) => board.leaseRenewed()],
  LEASE_LOST: [({ board }) => board.leaseFailed("LEASE_LOST"), nothing],
  CLOCK_APART: [({ board }) => board.clockApart(900), ({ board }) => board.clockApart(undefined)],
  NODE_OUTDATED: [({ board }) => board.nodesOutdated("old"), ({ board }) => board.nodesOutdated(undefined)],
  SHARDS_UNOWNED: [({ board }) => board.shardsUnowned([3]), ({ board }) => board.shardsUnowned([])],
  HAND_OVER_WANTED: [({ board }) => board.handOverWanted(true), ({ board }) => board.handOverWanted(false)],
  EVENTS_DROPPED: [({ board }) => board.eventsDropped(2), nothing],
  VOLUME_NOT_COUNTED: [({ board }) => board.volumeDropped(), ({ board }) => board.storeWorked()],
  CHILDREN_LATE: [({ board }) => board.childDurable(-2_000), ({ pass }) => pass(10_000)],
  QUOTES_STOPPED: [
    ({ board, watched }) => {
      watched.stopped = ["BTC/USD"];
      board.quotesChanged("QUOTES_STOPPED", "no quote");
    },
    ({ board, watched }) => {
      watched.stopped = [];
      board.quotesChanged("QUOTES_RESUMED", "quotes count again");
    },
  ],
  ORDERS_STALLED: [
    ({ board, watched }) => {
      watched.summary = "1 order sends nothing";
      board.ordersChanged();
    },
    ({ board, watched }) => {
      watched.summary = undefined;
      board.ordersChanged();
    },
  ],
  CHILD_UNKNOWN: [
    ({ board, watched }) => {
      watched.unknown = 1;
      board.ordersChanged();
    },
    ({ board, watched }) => {
      watched.unknown = 0;
      board.ordersChanged();
    },
  ],
};

describe("every condition tells itself", () => {
  it.each(Object.keys(STATUS_ENDS) as StatusKind[])(
    "%s: its begin and its end are an event, a log line, an alert unless it is quiet, and a metric",
    (kind) => {
      const open = openBoard();
      const { board, reported, updates, alerts } = open;
      const ended = STATUS_ENDS[kind];
      expect(board.conditions[kind]).toEqual({ stands: false, begun: 0 });
      const [begin, end] = CAUSES[kind];
      begin(open);
      expect(board.status.reasons.map((reason) => reason.kind)).toEqual([kind]);
      expect(board.conditions[kind]).toEqual({ stands: true, begun: 1 });
      end(open);
      const changes = ended === undefined ? [kind] : [kind, ended];
      expect(updates.map(({ change }) => change)).toEqual(changes);
      expect(reported).toEqual(changes.map((change) => ({ name: "engine.status", change })));
      expect(alerts.map(({ alert }) => alert)).toEqual(changes.filter((change) => !isQuiet(change)));
      expect(board.conditions[kind]).toEqual({ stands: ended === undefined, begun: 1 });
      expect(board.status.system === "normal").toBe(ended !== undefined);
    },
  );
});
