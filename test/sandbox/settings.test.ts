import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SettingsError } from "../../src/sandbox/input.ts";
import { readSettings, requestsHelp, settingsHelp, venueRecordPath } from "../../src/sandbox/settings.ts";

const read = (env: Record<string, string>, ...argv: string[]): ReturnType<typeof readSettings> =>
  readSettings({ env, argv });

const DEFAULT_LIMITS = {
  weightPerMinute: 6_000,
  ordersPer10Seconds: 50,
  ordersPerDay: 160_000,
  banMs: 120_000,
};

describe("settings", () => {
  it("have these defaults", () => {
    expect(read({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      frontThreads: 0,
      controlPort: 8081,
      store: { kind: "sqlite", path: "./data/managed-orders.db" },
      leaseTtlMs: 10_000,
      shares: false,
      peers: undefined,
      venue: undefined,
      venueFolder: "./data",
      catalogue: undefined,
      market: { kind: "synthetic" },
      marketSeed: 1,
      marketSpeed: 1,
      clock: "real",
      clockStartMs: undefined,
      quoteMaxAgeMs: 5_000,
      submitDeadlineMs: 2_000,
      venueQuietMs: 2_000,
      venueForgetsAfterMs: 172_800_000,
      retryMinMs: 100,
      retryMaxMs: 5_000,
      rateLimits: DEFAULT_LIMITS,
      replayGuard: true,
      businessErrors200: false,
      allowedOrigins: undefined,
      trustedProxies: undefined,
      getAllowlist: undefined,
      postAllowlist: undefined,
      retentionDays: 30,
      snapshotEvery: 20_000,
      crashAt: undefined,
      advancedOrders: true,
      persistRejections: false,
      demoKey: undefined,
      log: "text",
    });
  });

  it("each can be set by a variable", () => {
    const env = {
      HOST: "0.0.0.0",
      PORT: "9000",
      FRONT_THREADS: "2",
      CONTROL_PORT: "off",
      STORE: "memory:",
      LEASE_TTL_MS: "2000",
      VENUE_FOLDER: "/var/venue",
      MARKET: "replay:quotes.csv,trades.csv",
      MARKET_SEED: "0",
      MARKET_SPEED: "0.5",
      CLOCK: "manual",
      CLOCK_START: "1522800000000",
      QUOTE_MAX_AGE_MS: "300000",
      SUBMIT_DEADLINE_MS: "1",
      VENUE_QUIET_MS: "0",
      VENUE_FORGETS_AFTER_MS: "60000",
      RETRY_MIN_MS: "7",
      RETRY_MAX_MS: "7",
      RATE_LIMITS: "off",
      REPLAY_GUARD: "false",
      BUSINESS_ERRORS_200: "true",
      ALLOWED_ORIGINS: "https://desk.example.com,http://127.0.0.1:3000",
      TRUSTED_PROXIES: "10.0.0.0/8,2001:db8::1",
      GET_ALLOWLIST: "orderStatus,allOrders",
      POST_ALLOWLIST: "getOrderStatus",
      RETENTION_DAYS: "1",
      SNAPSHOT_EVERY: "40",
      CRASH_AT: "before-append:3",
      LIQUIDITY_API_ADVANCED_ORDERS_ENABLED: "false",
      ORDER_REJECT_PERSISTENCE_ENABLED: "true",
      SANDBOX_API_KEY: "demo-key_1",
      SANDBOX_API_SECRET: "!~secret",
      LOG: "json",
    };
    const expected = {
      host: "0.0.0.0",
      port: 9_000,
      frontThreads: 2,
      controlPort: "off",
      store: { kind: "memory" },
      leaseTtlMs: 2_000,
      shares: false,
      peers: undefined,
      venue: undefined,
      venueFolder: "/var/venue",
      catalogue: undefined,
      market: { kind: "replay", quotesPath: "quotes.csv", tradesPath: "trades.csv" },
      marketSeed: 0,
      marketSpeed: 0.5,
      clock: "manual",
      clockStartMs: 1_522_800_000_000,
      quoteMaxAgeMs: 300_000,
      submitDeadlineMs: 1,
      venueQuietMs: 0,
      venueForgetsAfterMs: 60_000,
      retryMinMs: 7,
      retryMaxMs: 7,
      rateLimits: "off",
      replayGuard: false,
      businessErrors200: true,
      allowedOrigins: ["https://desk.example.com", "http://127.0.0.1:3000"],
      trustedProxies: ["10.0.0.0/8", "2001:db8::1"],
      getAllowlist: ["orderStatus", "allOrders"],
      postAllowlist: ["getOrderStatus"],
      retentionDays: 1,
      snapshotEvery: 40,
      crashAt: { at: "before-append", skip: 3 },
      advancedOrders: false,
      persistRejections: true,
      demoKey: { apiKey: "demo-key_1", secret: "!~secret" },
      log: "json",
    };
    expect(read(env)).toEqual(expected);
    const { SANDBOX_API_SECRET, ...others } = env;
    const flags = Object.entries(others).flatMap(([name, value]) => [
      `--${name.toLowerCase().replaceAll("_", "-")}`,
      value,
    ]);
    expect(read({ SANDBOX_API_SECRET }, ...flags)).toEqual(expected);
  });

  it("a flag overrides its variable, in both forms", () => {
    expect(read({ PORT: "1" }, "--port", "2").port).toBe(2);
    expect(read({ PORT: "nonsense" }, "--port=auto").port).toBe("auto");
    expect(read({}, "--port", "0", "--control-port=0")).toMatchObject({ port: "auto", controlPort: "auto" });
    expect(read({}, "--market=replay:a=b.csv").market).toEqual({ kind: "replay", quotesPath: "a=b.csv" });
  });

  it("unknown and empty variables are ignored", () => {
    expect(read({ NODE_ENV: "test", PORTS: "x", PORT: "", STORE: "" })).toEqual(read({}));
  });

  it("RATE_LIMITS that are not named keep their default", () => {
    expect(read({ RATE_LIMITS: "default" }).rateLimits).toEqual(DEFAULT_LIMITS);
    expect(read({ RATE_LIMITS: "orders10s=5" }).rateLimits).toEqual({
      ...DEFAULT_LIMITS,
      ordersPer10Seconds: 5,
    });
    expect(read({ RATE_LIMITS: "weight=1,orders10s=2,orders1d=3,banMs=4" }).rateLimits).toEqual({
      weightPerMinute: 1,
      ordersPer10Seconds: 2,
      ordersPerDay: 3,
      banMs: 4,
    });
  });

  it("the venue's record is next to the store, and without a file if the store is in memory", () => {
    expect(venueRecordPath({ kind: "sqlite", path: "./data/managed-orders.db" })).toBe(
      "./data/managed-orders.venue.jsonl",
    );
    expect(venueRecordPath({ kind: "sqlite", path: "/var/x" })).toBe("/var/x.venue.jsonl");
    expect(venueRecordPath({ kind: "memory" })).toBeUndefined();
  });

  it("--help lists every setting with its default", () => {
    expect([
      requestsHelp(["--port", "1", "--help"]),
      requestsHelp(["-h"]),
      requestsHelp(["--port", "1"]),
    ]).toEqual([true, true, false]);
    const help = settingsHelp();
    for (const flag of ["--host", "--control-port", "--liquidity-api-advanced-orders-enabled", "--log"]) {
      expect(help).toContain(`${flag} `);
    }
    expect(help).toMatch(/--store .*\(sqlite:\.\/data\/managed-orders\.db\)/);
  });
});

describe("a secret", () => {
  const words = "other users of this machine can read arguments";

  it("is refused as an argument, unseen: other users of the machine can read it", () => {
    for (const flag of ["--sandbox-api-secret", "--venue-secret", "--peer-secret"]) {
      expect(() => read({}, flag, "a secret of sixteen")).toThrow(`${flag}: ${words}`);
      expect(() => read({}, `${flag}=a secret of sixteen`)).not.toThrow("sixteen");
    }
    const store = "postgres://user:hunter2@host:5432/db";
    expect(() => read({}, "--store", store)).toThrow(`--store: ${words}`);
    expect(() => read({}, "--store", store)).not.toThrow("hunter2");
    expect(read({}, "--store", "postgres://user@host:5432/db").store.kind).toBe("postgres");
    expect(read({ STORE: store }).store.kind).toBe("postgres");
    expect(settingsHelp()).not.toContain("--sandbox-api-secret");
  });

  it("comes from a file that NAME_FILE names; two sources or a missing file are refused", () => {
    const folder = mkdtempSync(join(tmpdir(), "settings-"));
    try {
      const path = join(folder, "secret");
      writeFileSync(path, "!~secret\n");
      const env = { SANDBOX_API_KEY: "k", SANDBOX_API_SECRET_FILE: path };
      expect(read(env).demoKey).toEqual({ apiKey: "k", secret: "!~secret" });
      expect(() => read({ ...env, SANDBOX_API_SECRET: "s" })).toThrow("are both set: set one of them");
      expect(() => read({ ...env, SANDBOX_API_SECRET_FILE: `${path}2` })).toThrow(
        "SANDBOX_API_SECRET_FILE: the file cannot be read (ENOENT)",
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a bad setting", () => {
  it.each([
    ["HOST", "a b"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.0"],
    ["PORT", "http"],
    ["PORT", "off"],
    ["CONTROL_PORT", "none"],
    ["STORE", "memory"],
    ["STORE", "sqlite:"],
    ["STORE", "./data.db"],
    ["ORDER_REJECT_PERSISTENCE_ENABLED", "maybe"],
    ["MARKET", "random"],
    ["MARKET", "replay:"],
    ["MARKET", "replay:a.csv,"],
    ["MARKET", "replay:a.csv,b.csv,c.csv"],
    ["MARKET_SEED", "-1"],
    ["MARKET_SEED", "4294967296"],
    ["MARKET_SPEED", "0"],
    ["MARKET_SPEED", "fast"],
    ["MARKET_SPEED", "1e3"],
    ["CLOCK", "Real"],
    ["CLOCK_START", "2018-04-04"],
    ["QUOTE_MAX_AGE_MS", "0"],
    ["SUBMIT_DEADLINE_MS", "2s"],
    ["VENUE_QUIET_MS", "-5"],
    ["RETRY_MIN_MS", "0"],
    ["RETRY_MAX_MS", "99"],
    ["RATE_LIMITS", "on"],
    ["RATE_LIMITS", "weight=0"],
    ["RATE_LIMITS", "weight=1,weight=2"],
    ["RATE_LIMITS", "weight=1=2"],
    ["RATE_LIMITS", "banms=1"],
    ["RATE_LIMITS", "weight"],
    ["REPLAY_GUARD", "yes"],
    ["BUSINESS_ERRORS_200", "1"],
    ["ALLOWED_ORIGINS", "desk.example.com"],
    ["ALLOWED_ORIGINS", "https://desk.example.com/"],
    ["ALLOWED_ORIGINS", "https://desk.example.com,"],
    ["TRUSTED_PROXIES", "localhost"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["TRUSTED_PROXIES", "10.0.0.1, 10.0.0.2"],
    ["GET_ALLOWLIST", "/api/ping"],
    ["POST_ALLOWLIST", "*"],
    ["RETENTION_DAYS", "0"],
    ["SNAPSHOT_EVERY", "0"],
    ["LEASE_TTL_MS", "1"],
    ["VENUE", "127.0.0.1:8090"],
    ["VENUE", "http://user:word@host:8090"],
    ["VENUE_SECRET", "short"],
    ["PEER_SECRET", "short"],
    ["PEER_NAMES", "node 1"],
    ["PEER_PLAIN", "yes"],
    ["SHARES", "1"],
    ["VENUE_CONTROL", "none"],
    ["VENUE_CONTROL", "http://192.168.0.1:8091"],
    ["VENUE_CONTROL", "http://localhost:8091/control"],
    ["CRASH_AT", "before-lunch"],
    ["CRASH_AT", "after-load:once"],
    ["CRASH_AT", "after-load:1:2"],
    ["LIQUIDITY_API_ADVANCED_ORDERS_ENABLED", "TRUE"],
    ["SANDBOX_API_KEY", "two words"],
    ["LOG", "xml"],
  ])("%s=%s is one line that names it", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(SettingsError);
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name}: must .*$`));
  });

  it("is named as the flag that set it", () => {
    expect(() => read({}, "--port", "x")).toThrow('--port: must be a whole number from 0 to 65535, not "x"');
  });

  it("stays one line of bounded length, whatever the value", () => {
    const message = (): string => {
      try {
        read({ LOG: `a\nb${"c".repeat(10_000)}` });
        return "";
      } catch (error) {
        return String(error);
      }
    };
    expect(message()).not.toContain("\n");
    expect(message().length).toBeLessThan(150);
  });

  it("STORE is the URL of a Postgres database, and its parameter schema is ours", () => {
    const url = "postgres://user:word@host:5432/db";
    expect(read({ STORE: url }).store).toEqual({ kind: "postgres", url });
    expect(read({ STORE: `${url}?sslmode=verify-full&schema=orders_2` }).store).toEqual({
      kind: "postgres",
      url: `${url}?sslmode=verify-full`,
      schema: "orders_2",
    });
    expect(() => read({ STORE: `${url}?schema=Orders` })).toThrow("STORE: must be a URL whose schema has");
    expect(() => read({ STORE: url, CLOCK: "manual" })).toThrow("CLOCK: must be real");
  });

  it("VENUE needs its secret, real time, and no market of its own", () => {
    const env = { VENUE: "http://127.0.0.1:8090", VENUE_SECRET: "a secret that both sides share" };
    const { VENUE: url, VENUE_SECRET: secret } = env;
    expect(read(env).venue).toEqual({ url, secret, controlUrl: "http://127.0.0.1:8091" });
    expect(read({ ...env, VENUE_CONTROL: "http://[::1]:90" }).venue?.controlUrl).toBe("http://[::1]:90");
    expect(read({ ...env, VENUE_CONTROL: "off" }).venue?.controlUrl).toBeUndefined();
    expect(() => read({ VENUE: url })).toThrow("VENUE_SECRET: must be set together with VENUE");
    expect(() => read({ ...env, CLOCK: "manual" })).toThrow("CLOCK: must be real with VENUE");
    expect(() => read({ ...env, MARKET: "replay:a.csv" })).toThrow("MARKET: must not be a replay with VENUE");
  });

  it("PEER_PORT needs a shared store, a secret, and certificates or a word that there are none", () => {
    const store = { STORE: "postgres://host/db" };
    const env = { ...store, PEER_PORT: "7443", PEER_SECRET: "a secret of all nodes" };
    const files = { PEER_KEY: "/etc/a.key", PEER_CERT: "/etc/a.crt", PEER_CA: "/etc/ca.crt" };
    expect(read(store).peers).toBeUndefined();
    expect(read({ ...env, PEER_PLAIN: "true" }).peers).toEqual({
      ...{ host: "127.0.0.1", port: 7443, secret: "a secret of all nodes", security: "loopback" },
    });
    expect(read({ ...env, ...files, PEER_NAMES: "node-1.internal" }).peers?.security).toEqual({
      key: new URL("file:///etc/a.key"),
      cert: new URL("file:///etc/a.crt"),
      ca: new URL("file:///etc/ca.crt"),
      names: ["node-1.internal"],
    });
    expect(() => read(env)).toThrow("PEER_KEY: must be set together with PEER_CERT");
    expect(() => read({ ...env, ...files, PEER_PLAIN: "true" })).toThrow("PEER_PLAIN: must be false");
    expect(() => read({ ...store, PEER_PORT: "7443" })).toThrow("PEER_SECRET: must be set together");
    expect(() => read({ PEER_PORT: "7443" })).toThrow("PEER_PORT: must be off without a store in Postgres");
    expect(() => read({ ...env, PEER_SECRET: "hunter2" })).not.toThrow(/hunter2/);
  });

  it("SHARES needs what sandboxes share: a store, a venue, and a way to each other", () => {
    const env = {
      ...{ SHARES: "true", STORE: "postgres://host/db" },
      ...{ VENUE: "http://127.0.0.1:8090", VENUE_SECRET: "a secret that both sides share" },
      ...{ PEER_PORT: "7443", PEER_PLAIN: "true", PEER_SECRET: "a secret of all nodes" },
    };
    expect(read(env).shares).toBe(true);
    expect(() => read({ ...env, STORE: "memory:" })).toThrow(
      "SHARES: must be false without a store in Postgres",
    );
    expect(() => read({ ...env, VENUE: "" })).toThrow("SHARES: must be false without VENUE");
    expect(() => read({ ...env, PEER_PORT: "off" })).toThrow("SHARES: must be false without PEER_PORT");
    expect(read({ ...env, SHARES: "false", VENUE: "", PEER_PORT: "off" }).shares).toBe(false);
  });

  it("I72: neither a secret of a venue nor a password in its URL is shown", () => {
    expect(() => read({ VENUE_SECRET: "hunter2" })).not.toThrow(/hunter2/);
    expect(() => read({ VENUE: "http://u:hunter2@h" })).not.toThrow(/hunter2/);
  });

  it("I72: the URL of a database is not shown, because it may contain a password", () => {
    const STORE = "postgres://user:hunter2@host:x/db";
    expect(() => read({ STORE })).toThrow("STORE: must be the URL of a database such as");
    expect(() => read({ STORE })).not.toThrow(/hunter2/);
  });

  it.each([
    "POSTGRES://user:hunter2@host/db",
    "pg://user:hunter2@host/db",
    "jdbc:postgresql://host/db?password=hunter2",
    "host=db password=hunter2",
    "user:hunter2@host",
  ])("I72: neither is what was meant as one: %s", (text) => {
    expect(() => read({ STORE: text })).toThrow("STORE: must be sqlite:PATH, postgres://");
    expect(() => read({ STORE: text })).not.toThrow(/hunter2/);
    expect(() => read({}, text)).toThrow("unknown argument");
    expect(() => read({}, text)).not.toThrow(/hunter2/);
    expect(() => read({}, "--stor", text)).toThrow('unknown argument "--stor"');
  });

  it("I72: of an unknown argument, only its name is shown", () => {
    const argument = "--sandbox-api-secrt=hunter2";
    expect(() => read({}, argument)).toThrow('unknown argument "--sandbox-api-secrt…"');
    expect(() => read({}, "STORE=hunter2")).toThrow('unknown argument "STORE…"');
  });

  it("I72 a bad secret is not shown", () => {
    expect(() => read({ SANDBOX_API_KEY: "k", SANDBOX_API_SECRET: "sécret" })).toThrow(
      "SANDBOX_API_SECRET: must be",
    );
    expect(() => read({ SANDBOX_API_KEY: "k", SANDBOX_API_SECRET: "sécret" })).not.toThrow("sécret");
  });

  it("key and secret go together, two ports differ", () => {
    expect(() => read({ SANDBOX_API_KEY: "k" })).toThrow("set both or neither");
    expect(() => read({ SANDBOX_API_SECRET: "s" })).toThrow("set both or neither");
    expect(() => read({ PORT: "8081" })).toThrow("CONTROL_PORT: must differ from PORT");
    expect(read({ PORT: "auto", CONTROL_PORT: "auto" })).toMatchObject({ port: "auto", controlPort: "auto" });
  });

  it.each([
    [["--ports", "1"], 'unknown argument "--ports"'],
    [["--PORT", "1"], 'unknown argument "--PORT"'],
    [["serve"], 'unknown argument "serve"'],
    [["--port"], "--port needs a value"],
    [["--port="], "--port needs a value"],
    [["--port", "1", "--port=2"], "--port was given twice"],
  ])("the arguments %j are refused", (argv, message) => {
    expect(() => read({}, ...argv)).toThrow(SettingsError);
    expect(() => read({}, ...argv)).toThrow(message);
  });
});
