import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/adapters/sqlite/index.ts";
import type { ParentOrder } from "../../src/model/index.ts";
import {
  decodeParent,
  decodeParents,
  decodeRecord,
  encodeParent,
  encodeParents,
  encodeRecord,
} from "../../src/wire/index.ts";
import { anyParent, anyRecord } from "../support/arbitraries.ts";
import { createScriptedVenue, reported } from "../support/scripted-venue.ts";
import { createWorld, type World } from "../support/world.ts";
import { namesIn } from "./names.ts";

const FILES = join(import.meta.dirname, "files");

/** The version that is written now; its files have every member of every kind. */
const NOW = "2026-12-01";

const read = (file: string): Buffer => readFileSync(join(FILES, file));
const linesOf = (file: string): readonly string[] => read(file).toString().trimEnd().split("\n");
const filesOf = (kind: string): readonly string[] =>
  readdirSync(FILES).filter((file) => file.startsWith(kind));

const versions = filesOf("store-").map((file) => file.slice("store-".length, -".db.gz".length));

describe("golden texts of the journal (I53)", () => {
  it.each(filesOf("records-"))("the records of %s are read and written unchanged", (file) => {
    for (const line of linesOf(file)) expect(encodeRecord(decodeRecord(line))).toBe(line);
  });

  it.each([...filesOf("orders-"), ...filesOf("parents-")])(
    "the parents of %s are read and written unchanged",
    (file) => {
      for (const line of linesOf(file)) expect(encodeParent(decodeParent(line))).toBe(line);
    },
  );

  it.each(versions)("the rows of a store of %s are read and written unchanged", (version) => {
    const database = new Database(gunzipSync(read(`store-${version}.db.gz`)));
    const texts = (from: string): readonly string[] =>
      database.prepare<[], string>(`SELECT substr(value, 9) FROM ${from}`).pluck().all();
    const records = texts("journal");
    const parts = texts("long WHERE key LIKE 'snap %'");
    const parents = texts("long WHERE key LIKE 'ended %'");
    database.close();
    expect([records.length > 20, parts.length > 0, parents.length > 2]).toEqual([true, true, true]);
    for (const text of records) expect(encodeRecord(decodeRecord(text))).toBe(text);
    for (const text of parts) expect(encodeParents(decodeParents(text))).toBe(text);
    for (const text of parents) expect(encodeParent(decodeParent(text))).toBe(text);
  });

  it.each([
    ["records", fc.sample(anyRecord, { numRuns: 500, seed: 1 }).map(encodeRecord)],
    ["orders", fc.sample(anyParent, { numRuns: 500, seed: 1 }).map(encodeParent)],
  ] as const)("every member of every kind occurs in the current %s", (kind, samples) => {
    const frozen = namesIn(linesOf(`${kind}-${NOW}.jsonl`).map((line) => JSON.parse(line)));
    const written = namesIn(samples.map((text) => JSON.parse(text)));
    expect([...written].filter((name) => !frozen.has(name))).toEqual([]);
  });
});

/** Removes what opening an engine may change: a child in flight is looked up, which is reported. */
const lasting = ({
  child: _child,
  lastSequence: _lastSequence,
  updatedAtMs: _updatedAtMs,
  ...rest
}: ParentOrder): unknown => rest;

describe("golden files of a store whose engine was killed (I20, I53)", () => {
  let folder: string;
  let world: World;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "managed-orders-golden-"));
  });
  afterEach(async () => {
    await world.engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(version: string): Promise<readonly ParentOrder[]> {
    const path = join(folder, "orders.db");
    writeFileSync(path, gunzipSync(read(`store-${version}.db.gz`)));
    const venue = createScriptedVenue();
    venue.onLookup = () => new Error("no answer");
    world = await createWorld({ venue, store: () => openSqliteStore({ exclusive: false, path }) });
    return linesOf(`parents-${version}.jsonl`).map((line) => decodeParent(line));
  }

  it.each(versions)("%s opens, every order is unchanged, and verify is equal", async (version) => {
    for (const order of await opened(version)) {
      expect(lasting(await world.order(order.orderId))).toEqual(lasting(order));
    }
    expect(await world.engine.verify()).toMatchObject({ equal: true });
  });

  it.each(versions)(
    "%s continues: waiting orders trigger, unknown children are settled, new orders are accepted",
    async (version) => {
      const orders = await opened(version);
      const named = (clientOrderId: string): ParentOrder => {
        const order = orders.find(({ intent }) => intent.clientOrderId === clientOrderId);
        if (order === undefined) throw new Error("the order is not in the file");
        return order;
      };
      world.venue.onLookup = ({ childId }) => reported(childId, "closed");
      await world.pass(120_000);
      await world.quote("79", "79.5");
      const stop = named("golden-3");
      expect(await world.status(stop)).toBe("FILLED FILLED");
      const canceling = orders.filter(({ pendingEnd }) => pendingEnd !== undefined);
      expect(canceling).toHaveLength(1);
      for (const order of canceling) expect(await world.status(order)).toBe("CANCELED CANCELED");
      const placed = await world.place({ side: "SELL", type: "STOP_MARKET", stopPrice: "70" });
      expect(orders.map(({ orderId }) => orderId)).not.toContain(placed.orderId);
      expect(await world.status(placed)).toBe("NEW WAITING");
      expect(await world.engine.verify()).toMatchObject({ equal: true });
    },
  );
});
