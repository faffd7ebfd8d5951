import { describe, expect, it } from "vitest";
import { APPEND } from "../../../src/adapters/postgres/append-statements.ts";
import { COPYING } from "../../../src/adapters/postgres/copy-statements.ts";
import { FORGETTING } from "../../../src/adapters/postgres/forget-statements.ts";
import { LEASES } from "../../../src/adapters/postgres/lease-statements.ts";
import { LIMITS } from "../../../src/adapters/postgres/limit-statements.ts";
import { MARKETS } from "../../../src/adapters/postgres/market-statements.ts";
import {
  FIRST_VERSIONS_CREATION,
  MIGRATIONS,
  NOTE_STEP,
  SCHEMA_CREATION,
  VERSIONS_CREATION,
} from "../../../src/adapters/postgres/migrations.ts";
import { SNAPSHOTS } from "../../../src/adapters/postgres/snapshot-statements.ts";
import * as statements from "../../../src/adapters/postgres/statements.ts";
import {
  COMMIT,
  GET,
  rangeStatement,
  STORAGE_STEPS,
  SWEEP,
} from "../../../src/adapters/postgres/storage-statements.ts";
import { brokenRules } from "./sql-rules.ts";

/** Every statement by name, such as `ENDINGS.count`. */
const texts: readonly (readonly [name: string, text: string])[] = [
  ...Object.entries<Readonly<Record<string, string>>>({
    ...statements,
    APPEND,
    MARKETS,
    LEASES,
    LIMITS,
    COPYING,
    FORGETTING,
    SNAPSHOTS,
    COMMIT,
    GET,
    STORAGE: {
      range: rangeStatement([
        { table: "entry", reverse: false },
        { table: "log", reverse: true },
      ]),
      sweep: SWEEP,
    },
  }).flatMap(([group, members]) =>
    Object.entries(members).map(([name, text]) => [`${group}.${name}`, text] as const),
  ),
  ...[
    SCHEMA_CREATION,
    VERSIONS_CREATION,
    FIRST_VERSIONS_CREATION,
    ...[...MIGRATIONS, ...STORAGE_STEPS].flatMap((step) => [NOTE_STEP(step), ...step.sql]),
  ].map((text, index) => [`step ${index}`, text] as const),
];

/** CockroachDB must be told to allow it (sql.multiple_modifications_of_table.enabled): a commit that deletes and puts keys. */
const ALLOWED: ReadonlyMap<string, readonly string[]> = new Map([[COMMIT.whole, ["one writer"]]]);

describe("decision WC: statements use what Postgres, CockroachDB and YugabyteDB share", () => {
  it("knows all of them", () => {
    expect(texts.length).toBeGreaterThan(80);
  });

  it.each(texts)("%s", (_name, text) => {
    expect(brokenRules(text)).toEqual(ALLOWED.get(text) ?? []);
  });

  it.each([
    ["session", "SELECT pg_advisory_xact_lock(1)"],
    ["session", "LISTEN orders"],
    ["session", "SET synchronous_commit = on"],
    ["session", "CREATE TEMP TABLE a (b int4)"],
    ["session", "PREPARE a AS SELECT 1"],
    ["clock", "SELECT now()"],
    ["clock", "SELECT current_timestamp"],
    ["functions", "SELECT random()"],
    ["functions", "SELECT nextval('a')"],
    ["types", "CREATE TABLE managed_orders.a (b serial PRIMARY KEY)"],
    ["types", "SELECT $1::float8"],
    ["types", "SELECT $1::numeric"],
    ["dialect", "SELECT 1 FROM managed_orders.a AS a FOR UPDATE SKIP LOCKED"],
    ["dialect", 'SELECT a COLLATE "C" FROM managed_orders.a AS a'],
    ["locks", "SELECT a.b FROM managed_orders.a AS a FOR UPDATE"],
    [
      "locks",
      "SELECT 1 FROM unnest($1::text[]) AS k (key) CROSS JOIN LATERAL (SELECT 1 FROM managed_orders.a AS a WHERE a.key = k.key FOR UPDATE) AS e",
    ],
    ["returning", "WITH a AS (DELETE FROM managed_orders.b AS b) SELECT 1"],
    [
      "one writer",
      "WITH a AS (DELETE FROM managed_orders.b AS b RETURNING 1) INSERT INTO managed_orders.b (c) VALUES (1) RETURNING 1",
    ],
    ["schema", "SELECT a.b FROM journal AS a"],
  ])("the rule %s finds: %s", (rule, text) => {
    expect(brokenRules(text)).toContain(rule);
  });
});

describe("statements that write", () => {
  const writes = texts.filter(
    ([name, text]) => /INSERT|UPDATE managed|DELETE/.test(text) && !name.startsWith("step"),
  );

  it.each(writes)(
    "%s changes no row of a shard, unless it is about its owner or round or what was forgotten",
    (name, text) => {
      const changesShard = /UPDATE managed_orders\.shard\b/.test(text);
      expect(changesShard).toBe(
        [
          ...["JOURNAL.acquire", "JOURNAL.fence", "LEASES.claim", "LEASES.release", "LEASES.assign"],
          ...["COPYING.heads", "FORGETTING.leave", "FORGETTING.sweep"],
        ].includes(name),
      );
    },
  );

  it.each(["records", "orders", "whole"] as const)(
    "I60: every insert of the append %s is selected from the verdict",
    (form) => {
      const text = APPEND[form];
      const inserts = text.split("INSERT INTO").slice(1);
      expect(inserts.length).toBe({ records: 1, orders: 3, whole: 6 }[form]);
      for (const insert of inserts) expect(insert).toMatch(/FROM verdict AS v|FROM market\b/);
      expect(text.indexOf("FOR UPDATE")).toBeLessThan(text.indexOf("INSERT INTO"));
    },
  );
});
