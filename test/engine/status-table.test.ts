import { describe, expect, it } from "vitest";
import type { Core } from "../../src/engine/core/core.ts";
import { EventStream } from "../../src/engine/core/event-stream.ts";
import { isQuiet, STATUS_ENDS, type StatusKind } from "../../src/engine/core/events.ts";
import type { Alert, StatusUpdate } from "../../src/engine/index.ts";
import { StatusBoard, type StatusParts } from "../../src/engine/status/status-board.ts";

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

describe("decision EC: every condition tells itself", () => {
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
