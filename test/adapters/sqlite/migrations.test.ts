import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../../src/adapters/sqlite/index.ts";
import { MIGRATIONS, type Migration, migrate, schemaVersion } from "../../../src/adapters/sqlite/schema.ts";
import { driver, readValue, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

describe("sqlite migrations", () => {
  let place: TemporaryPlace;
  beforeEach(() => {
    place = temporaryPlace();
  });
  afterEach(() => place.remove());
  const steps: readonly Migration[] = [
    { version: 1, sql: "CREATE TABLE orders (id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1)" },
    { version: 2, sql: "ALTER TABLE orders ADD COLUMN symbol TEXT NOT NULL DEFAULT 'BTC/USD'" },
    { version: 3, sql: "CREATE INDEX by_symbol ON orders (symbol)" },
  ];

  it("a new file has the newest schema", async () => {
    await openSqliteStore({ exclusive: false, path: place.path }).close();
    expect(readValue(place.path, "PRAGMA user_version")).toBe(MIGRATIONS.length);
  });

  it("a file of an older version gets the missing steps and keeps its rows", () => {
    const database = driver.open(":memory:");
    migrate(database, steps.slice(0, 1));
    expect(schemaVersion(database)).toBe(1);
    migrate(database, steps);
    expect(schemaVersion(database)).toBe(3);
    expect(database.prepare("SELECT * FROM orders").all()).toEqual([{ id: 1, symbol: "BTC/USD" }]);
    migrate(database, steps);
    expect(schemaVersion(database)).toBe(3);
    database.close();
  });

  it("a step that fails leaves the file at the previous version", () => {
    const database = driver.open(":memory:");
    const broken = { version: 2, sql: "CREATE TABLE more (id INTEGER); CREATE TABLE orders (id INTEGER)" };
    expect(() => migrate(database, [...steps.slice(0, 1), broken])).toThrow("already exists");
    expect(schemaVersion(database)).toBe(1);
    expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'more'").pluck().get()).toBe(0);
    database.close();
  });
});
