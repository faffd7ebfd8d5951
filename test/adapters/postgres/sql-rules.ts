/** A rule about a statement, and why it is one. */
type SqlRule = Readonly<{ name: string; why: string; isBroken: (text: string) => boolean }>;

/** Functions that Postgres, CockroachDB and YugabyteDB share and that the store uses. */
const FUNCTIONS = [
  ...["unnest", "coalesce", "count", "sum", "max", "octet_length", "encode", "any", "over", "check"],
  ...[
    "current_setting",
    "version",
    "generate_series",
    "repeat",
    "exists",
    "in",
    "on",
    "values",
    "using",
    "unique",
    "key",
  ],
];

/** Words that may stand before a parenthesis and are no function. */
const WORDS = [
  ...[
    "as",
    "and",
    "or",
    "where",
    "select",
    "from",
    "join",
    "conflict",
    "materialized",
    "distinct",
    "constraint",
  ],
  ...["numeric", "set", "then", "not", "lateral", "is", "into", "index", "table", "cross", "left"],
  ...["array", "with", "all", "else"],
];

const TYPES = ["int4", "int8", "text", "bytea", "bool"];

const withoutTexts = (text: string): string => text.replace(/'[^']*'/g, "''");

/** The order of bytes, which is that of any text in CockroachDB and YugabyteDB. */
const KEY_COLUMN = /\bkey text COLLATE "C"(?= PRIMARY KEY|,)/g;

/** Names of functions that a text calls: words before a parenthesis, without tables, aliases and keywords. */
function functionsIn(statement: string): readonly string[] {
  const text = withoutTexts(statement);
  const calls = [...text.matchAll(/(?<![.\w])([a-z_]+) ?\(/gi)];
  return calls.flatMap((call) => {
    const name = (call[1] ?? "").toLowerCase();
    const before = text.slice(0, call.index).trimEnd();
    const isAlias = /\b(AS|OF)$/i.test(before) || /\bINSERT INTO [\w.]+( AS \w+)?$/i.test(before);
    return isAlias || WORDS.includes(name) ? [] : [name];
  });
}

/** Texts of the queries of a statement that are written to a table: after each INSERT, UPDATE or DELETE. */
const writesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:INSERT INTO|DELETE FROM|(?<!DO )(?<!FOR )UPDATE(?! SET)) ([\w.]+)/g)].map(
    ([, table]) => table ?? "",
  );

/** A loop over sorted keys that locks one row at a time. */
const LOCKS_IN_ORDER =
  /ORDER BY \w+\.key\) AS (\w)\s+LEFT JOIN LATERAL \([^()]*= \1\.key(?:\s+ORDER BY \w+\.version DESC LIMIT 1)? FOR UPDATE/g;

const RULES: readonly SqlRule[] = [
  {
    name: "session",
    why: "a pooler gives each transaction any connection, and CockroachDB has no advisory locks and no LISTEN",
    isBroken: (text) =>
      /advisory|\b(UN)?LISTEN\b|\bNOTIFY\b|\bPREPARE\b|\bDECLARE\b|\bTEMP(ORARY)?\b|\bDISCARD\b|\bLOCK TABLE\b/i.test(
        text,
      ) || /^\s*SET\b(?! LOCAL lock_timeout\b)/i.test(text),
  },
  {
    name: "clock",
    why: "no timestamp decides, and the clocks of two machines differ",
    isBroken: (text) => /\bnow\(|timestamp|\bcurrent_(date|time)\b|localtime|\binterval\b/i.test(text),
  },
  {
    name: "functions",
    why: "only functions that the three servers have, with the same result whenever they are called",
    isBroken: (text) => functionsIn(text).some((name) => !FUNCTIONS.includes(name)),
  },
  {
    name: "types",
    why: "no double, and no serial: CockroachDB's does not count. NUMERIC is not needed: sums are made in the program",
    isBroken: (text) =>
      /\b(serial|bigserial|float4|float8|real|double|numeric|decimal|jsonb?|uuid|money)\b/i.test(text) ||
      [...text.matchAll(/::(\w+)/g)].some(([, type]) => !TYPES.includes(type ?? "")),
  },
  {
    name: "dialect",
    why: "missing in one of the three servers, or with other semantics there",
    isBroken: (text) =>
      /\b(SKIP LOCKED|NOWAIT|COLLATE|MERGE|TRUNCATE|COPY|TABLESAMPLE|CONCURRENTLY|EXCLUDE|INHERITS|TRIGGER|FUNCTION|ctid|xmin|oid|regclass)\b/i.test(
        text.replace(KEY_COLUMN, ""),
      ),
  },
  {
    name: "locks",
    why: "rows are locked in one order, so that two statements never wait for each other",
    isBroken: (text) =>
      (text.match(/FOR (UPDATE|SHARE|NO KEY UPDATE|KEY SHARE)/g) ?? []).length !==
      (text.match(LOCKS_IN_ORDER) ?? []).length,
  },
  {
    name: "returning",
    why: "CockroachDB refuses a subquery in WITH that returns no columns",
    isBroken: (text) =>
      /\bWITH\b/.test(text) && writesIn(text).length > (text.match(/\bRETURNING\b/g) ?? []).length,
  },
  {
    name: "one writer",
    why: "CockroachDB refuses two subqueries of a statement that write one table",
    isBroken: (text) => new Set(writesIn(text)).size !== writesIn(text).length,
  },
  {
    name: "schema",
    why: "the tables are those of the store's schema, whatever the search path is",
    isBroken: (text) =>
      [...text.matchAll(/\b(?:FROM|JOIN|INTO) (?!unnest|generate_series)([a-z_]+)(?=\s+AS\b)(?!\.)/g)].some(
        ([, table]) => !new RegExp(`\\b${table} AS (MATERIALIZED )?\\(`).test(text),
      ),
  },
];

/** The clock of the server as it is told to nodes, which compare it with their own. No statement decides by it. */
const CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000)::int8";

/** Returns the names of the rules that a statement breaks. */
export function brokenRules(statement: string): readonly string[] {
  const text = statement.replaceAll(CLOCK, "0");
  return RULES.filter(({ isBroken }) => isBroken(text)).map(({ name }) => name);
}
