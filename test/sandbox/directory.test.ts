import { describe, expect, it } from "vitest";
import { createMemoryDisk, createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { KeyValueStore } from "../../src/ports/index.ts";
import { type AccountSetup, openDirectory, readAccountSetup } from "../../src/sandbox/accounts.ts";
import { InputError, SettingsError } from "../../src/sandbox/input.ts";

const body = {
  accountId: 7,
  userId: 70,
  apiKey: "key-7",
  secret: "secret-7",
  permissions: ["READ"],
  enableDataSharing: true,
  ipAllowlist: ["10.0.0.0/8", "2001:db8::1"],
  delegates: [{ userId: 80, permissions: ["READ", "TRADE"] }],
  balances: { USD: "12.50", BTC: 1 },
  restricted: ["ETH/USD"],
};

const setup = (changes: Partial<Record<keyof AccountSetup, unknown>> = {}): AccountSetup =>
  readAccountSetup({ ...body, ...changes });

describe("the body that sets an account", () => {
  it("is read completely; a single address is a block of one", () => {
    expect(setup()).toEqual({
      ...body,
      ipAllowlist: ["10.0.0.0/8", "2001:db8::1/128"],
      balances: { USD: "12.50", BTC: "1" },
    });
  });

  it("has these defaults", () => {
    const { userId: _u, ipAllowlist: _i, delegates: _d, balances: _b, restricted: _r, ...least } = body;
    expect(readAccountSetup(least)).toEqual({
      ...least,
      userId: 7,
      ipAllowlist: [],
      delegates: [],
      restricted: false,
    });
  });

  it.each([
    ["accountId", 0],
    ["accountId", "7"],
    ["userId", -1],
    ["apiKey", ""],
    ["apiKey", "two words"],
    ["secret", "sécret"],
    ["permissions", ["WRITE"]],
    ["enableDataSharing", "true"],
    ["ipAllowlist", ["10.0.0.0/33"]],
    ["ipAllowlist", ["10.0.0.0/8/8"]],
    ["ipAllowlist", ["10.0.0.0/"]],
    ["ipAllowlist", ["localhost"]],
    ["ipAllowlist", ["::1/129"]],
    ["delegates", [{ userId: 1 }]],
    ["balances", { USD: "1e3" }],
    ["balances", { usd: "1" }],
    ["balances", { USD: "-1" }],
    ["balances", { BTC: "0.0000001" }],
    ["restricted", "yes"],
    ["admin", true],
  ])("%s: %j is refused by name, without the secret", (member, value) => {
    expect(() => readAccountSetup({ ...body, [member]: value })).toThrow(InputError);
    expect(() => readAccountSetup({ ...body, [member]: value })).toThrow(member);
    expect(() => readAccountSetup({ ...body, [member]: value })).not.toThrow("secret-7");
  });
});

describe("the directory", () => {
  it("answers with key and account", async () => {
    const directory = await openDirectory(createMemoryStore().keyValue);
    await directory.replaceAccount(setup());
    expect(directory.key("key-7")).toEqual({
      apiKey: "key-7",
      secret: "secret-7",
      userId: 70,
      accountId: 7,
      permissions: ["READ"],
      ipAllowlist: ["10.0.0.0/8", "2001:db8::1/128"],
    });
    expect(directory.account(7)).toEqual({
      accountId: 7,
      userId: 70,
      enableDataSharing: true,
      delegates: [{ userId: 80, permissions: ["READ", "TRADE"] }],
      restricted: ["ETH/USD"],
    });
    expect([directory.key("key-8"), directory.account(8), directory.describe(8)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("replacing an account ends its earlier key at once", async () => {
    const directory = await openDirectory(createMemoryStore().keyValue);
    await directory.replaceAccount(setup());
    await directory.replaceAccount(setup({ apiKey: "key-7b", enableDataSharing: false }));
    expect([directory.key("key-7"), directory.key("key-7b")?.accountId]).toEqual([undefined, 7]);
    expect(directory.account(7)?.enableDataSharing).toBe(false);
  });

  it("a key that belongs to another account is refused and changes nothing", async () => {
    const directory = await openDirectory(createMemoryStore().keyValue);
    await directory.replaceAccount(setup());
    await expect(directory.replaceAccount(setup({ accountId: 9 }))).rejects.toThrow("belongs to account 7");
    expect([directory.account(9), directory.key("key-7")?.accountId]).toEqual([undefined, 7]);
    await directory.replaceAccount(setup({ accountId: 9, apiKey: "key-9" }));
    expect(directory.account(9)?.accountId).toBe(9);
  });

  it("survives a restart; an account that could not be stored does not exist", async () => {
    const disk = createMemoryDisk();
    const directory = await openDirectory(createMemoryStore({ disk }).keyValue);
    await Promise.all(
      [7, 8, 9].map((accountId) =>
        directory.replaceAccount(setup({ accountId, apiKey: `key-${accountId}` })),
      ),
    );
    const again = await openDirectory(createMemoryStore({ disk }).keyValue);
    expect([7, 8, 9].map((id) => again.describe(id))).toEqual([7, 8, 9].map((id) => directory.describe(id)));
    expect(again.key("key-8")).toEqual(directory.key("key-8"));
    const broken: KeyValueStore = {
      get: async () => undefined,
      set: () => Promise.reject(new Error("disk full")),
    };
    const failing = await openDirectory(broken);
    await expect(failing.replaceAccount(setup())).rejects.toThrow("disk full");
    expect([failing.key("key-7"), failing.account(7)]).toEqual([undefined, undefined]);
  });

  it.each(["userId", "ipAllowlist", "delegates", "restricted"])(
    "a stored account without %s is not read, and the message shows no secret",
    async (member) => {
      const { balances: _balances, positions: _positions, ...stored } = setup();
      const text = JSON.stringify([{ ...stored, [member]: undefined }]);
      const store: KeyValueStore = { get: async () => text, set: async () => undefined };
      const problem = "the accounts in the store cannot be read: restore the store from a backup";
      await expect(openDirectory(store)).rejects.toThrow(new SettingsError(problem));
      await expect(
        openDirectory({ ...store, get: async () => JSON.stringify([stored]) }),
      ).resolves.toBeDefined();
    },
  );

  it("I72 describes an account without its secret", async () => {
    const directory = await openDirectory(createMemoryStore().keyValue);
    await directory.replaceAccount(setup());
    expect(directory.describe(7)).toMatchObject({ accountId: 7, apiKey: "key-7", restricted: ["ETH/USD"] });
    expect(JSON.stringify(directory.describe(7))).not.toContain("secret");
  });
});

describe("the demo account", () => {
  it("gets a key once and keeps it, with READ, TRADE and consent", async () => {
    const disk = createMemoryDisk();
    const first = await (await openDirectory(createMemoryStore({ disk }).keyValue)).ensureDemo();
    const directory = await openDirectory(createMemoryStore({ disk }).keyValue);
    expect(await directory.ensureDemo()).toEqual(first);
    expect([first.apiKey, first.secret].every((text) => /^[0-9A-Za-z]{64}$/.test(text))).toBe(true);
    expect(first.apiKey).not.toBe(first.secret);
    expect(directory.key(first.apiKey)).toMatchObject({ accountId: 1, permissions: ["READ", "TRADE"] });
    expect(directory.account(1)).toMatchObject({ userId: 1, enableDataSharing: true, restricted: false });
  });

  it("takes a given key in place of the stored one, and keeps the rest of the account", async () => {
    const directory = await openDirectory(createMemoryStore().keyValue);
    const first = await directory.ensureDemo();
    await directory.replaceAccount(setup({ accountId: 1, apiKey: "mine", restricted: true }));
    expect(await directory.ensureDemo()).toEqual({ apiKey: "mine", secret: "secret-7" });
    const given = { apiKey: "given", secret: "given-secret" };
    expect(await directory.ensureDemo(given)).toEqual(given);
    expect(directory.account(1)?.restricted).toBe(true);
    expect([directory.key(first.apiKey), directory.key("mine")]).toEqual([undefined, undefined]);
  });
});
