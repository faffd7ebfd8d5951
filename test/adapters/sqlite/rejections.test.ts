import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  openSqliteStore,
  type SqliteRejectionOptions,
  type SqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { testRejections } from "../../../src/conformance/index.ts";
import { rejectionOf } from "../../../src/conformance/rejections.ts";
import { executeOn, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

testRejections(
  { describe, it },
  {
    name: "sqlite",
    supports: { durable: true },
    createPlace() {
      const { path, remove } = temporaryPlace();
      return {
        open() {
          const store = openSqliteStore({ exclusive: false, path });
          const { rejections } = store;
          return { rejections, written: () => rejections.flush(), close: () => store.close() };
        },
        remove,
      };
    },
  },
);

const DAY_MS = 86_400_000;

describe("sqlite rejections", () => {
  let place: TemporaryPlace;
  let store: SqliteStore;
  const reported: string[] = [];
  const telemetry = { event: (...event: readonly unknown[]) => void reported.push(JSON.stringify(event)) };
  const open = (options: Omit<SqliteRejectionOptions, "telemetry"> = {}): SqliteStore => {
    store = openSqliteStore({ exclusive: false, path: place.path, rejections: { telemetry, ...options } });
    return store;
  };
  beforeEach(() => {
    place = temporaryPlace();
    reported.length = 0;
  });
  afterEach(async () => {
    await store.close();
    place.remove();
  });
  const rows = (): unknown => readValue(place.path, "SELECT count(*) FROM api_order_reject");

  it("keep every character of a text, also after a NUL, and their empty texts", async () => {
    const texts = { symbol: "A\0B", clientOrderId: "", type: "C\0D", timeInForce: "", errorMessage: "\0" };
    const stored = rejectionOf(texts);
    open().rejections.retain(stored);
    await store.rejections.flush();
    expect(await store.rejections.list({ accountId: 1, limit: 9 })).toEqual([stored]);
  });

  it("contract, Errors: are written later, many in one transaction; no caller waits", async () => {
    const { rejections } = open();
    for (let count = 0; count < 250; count++) rejections.retain(rejectionOf());
    expect([rows(), rejections.counts.retained]).toEqual([0, 0]);
    await rejections.flush();
    expect([rows(), rejections.counts]).toEqual([250, { retained: 250, lost: 0 }]);
    rejections.retain(rejectionOf());
    await rejections.flush();
    expect(rows()).toBe(251);
  });

  it("I64: a full queue drops the excess, counts it and tells the operator", async () => {
    const { rejections } = open({ capacity: 3 });
    const all = Array.from({ length: 5 }, () => rejectionOf());
    for (const rejection of all) rejections.retain(rejection);
    expect(rejections.counts).toEqual({ retained: 0, lost: 2 });
    expect(reported.filter((event) => event.includes("rejections.overflow"))).toHaveLength(2);
    await rejections.flush();
    expect(await rejections.list({ accountId: 1, limit: 9 })).toEqual(all.slice(0, 3));
    rejections.retain(rejectionOf());
    await rejections.flush();
    expect(rejections.counts).toEqual({ retained: 4, lost: 2 });
  });

  it("a write that fails drops its rejections and counts them; the next write succeeds", async () => {
    const { rejections } = open();
    executeOn(
      place.path,
      "CREATE TRIGGER stop BEFORE INSERT ON long BEGIN SELECT raise(ABORT, 'no insert'); END",
    );
    rejections.retain(rejectionOf({ errorMessage: "not to be told" }));
    await rejections.flush();
    expect(rejections.counts).toEqual({ retained: 0, lost: 1 });
    expect(reported.join()).toContain("rejections.unwritten");
    expect(reported.join()).not.toContain("not to be told");
    executeOn(place.path, "DROP TRIGGER stop");
    rejections.retain(rejectionOf());
    await rejections.flush();
    expect(rejections.counts).toEqual({ retained: 1, lost: 1 });
  });

  it("old rejections are deleted when new ones arrive, a bounded number at a time", async () => {
    const { rejections } = open({ retentionDays: 1 });
    for (let count = 0; count < 450; count++) rejections.retain(rejectionOf({ timeMs: 1_000 }));
    await rejections.flush();
    const edge = rejectionOf({ timeMs: 1_000 + DAY_MS });
    rejections.retain(edge);
    await rejections.flush();
    expect(rows()).toBe(451);
    for (const left of [252, 53, 2]) {
      rejections.retain(rejectionOf({ timeMs: 1_001 + DAY_MS }));
      await rejections.flush();
      expect(rows()).toBe(left + (left === 2 ? 2 : 0));
    }
  });

  it("I64: an account that is refused repeatedly keeps its newest rejections and displaces those of no other account", async () => {
    const { rejections } = open({ perAccount: 150 });
    const other = rejectionOf({ accountId: 2 });
    rejections.retain(other);
    const mine = Array.from({ length: 420 }, () => rejectionOf());
    for (const rejection of mine) rejections.retain(rejection);
    await rejections.flush();
    expect(rows()).toBe(151);
    expect(await rejections.list({ accountId: 1, limit: 1_000 })).toEqual(mine.slice(-150));
    expect(await rejections.list({ accountId: 2, limit: 1_000 })).toEqual([other]);
  });

  it("appends do not wait for rejections, and a closed store refuses reads", async () => {
    const { rejections } = open();
    rejections.retain(rejectionOf());
    expect(await store.acquire()).toHaveLength(256);
    await store.close();
    expect(rows()).toBe(1);
    await expect(rejections.list({ accountId: 1, limit: 1 })).rejects.toThrow();
  });
});
