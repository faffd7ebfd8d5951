import { describe, expect, it } from "vitest";
import { COMMIT, GET, rangeStatement, SWEEP } from "../../../src/adapters/postgres/commit.ts";
import {
  COPYING,
  FIRST_VERSIONS_CREATION,
  MIGRATIONS,
  NOTE_STEP,
  OPENING,
  SCHEMA_CREATION,
  VERSIONS_CREATION,
  VIEWS,
} from "../../../src/adapters/postgres/schema.ts";
import { brokenRules } from "./sql-rules.ts";

/** Every statement by name, such as `ENDINGS.count`. */
const texts: readonly (readonly [name: string, text: string])[] = [
  ...Object.entries<Readonly<Record<string, string>>>({
    OPENING,
    COPYING,
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
    ...MIGRATIONS.flatMap((step) => [
      NOTE_STEP(step),
      // Views are for operators, who may have to write them in the dialect of their server.
      ...step.sql.filter((text) => !VIEWS.includes(text)),
    ]),
  ].map((text, index) => [`step ${index}`, text] as const),
];

/** CockroachDB must be told to allow it (sql.multiple_modifications_of_table.enabled): a commit replaces values. */
const ALLOWED: ReadonlyMap<string, readonly string[]> = new Map([
  [COMMIT.plain, ["one writer"]],
  [COMMIT.whole, ["one writer"]],
]);

describe("statements use what Postgres, CockroachDB and YugabyteDB share", () => {
  it("knows all of them", () => {
    expect(texts.length).toBeGreaterThan(15);
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
