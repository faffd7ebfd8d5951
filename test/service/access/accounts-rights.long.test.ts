import { describe, expect, it } from "vitest";
import type { Account, Permission } from "../../../src/model/index.ts";
import { METHODS, ROUTES } from "../../../src/requests/index.ts";
import {
  type AccountWorld,
  ENTRANCES,
  type Entrance,
  type EntranceReply,
  openAccountWorld,
  type Querying,
  SUBJECT,
} from "../../support/entrances.ts";
import { type Credentials, call, KEYS } from "../../support/service-world.ts";

const OTHER: Readonly<Record<Permission, Permission>> = { READ: "TRADE", TRADE: "READ" };
const BOTH: readonly Permission[] = ["READ", "TRADE"];

/** Replaces the subject account; its owner keeps the usual key by default. */
function put(
  world: AccountWorld,
  account: Partial<Account>,
  keys: readonly Credentials[] = [KEYS.stranger],
): void {
  const usual = { accountId: SUBJECT, userId: 2, enableDataSharing: true, delegates: [], restricted: false };
  const rest = { userId: account.userId ?? 2, accountId: SUBJECT, permissions: BOTH, ipAllowlist: [] };
  world.accounts.put({ account: { ...usual, ...account }, keys: keys.map((key) => ({ ...key, ...rest })) });
}

const delegate = (...permissions: readonly Permission[]): Partial<Account> => ({
  delegates: [{ userId: 1, permissions }],
});

/** How many orders an account has: parents and native orders. */
async function ordersOf(world: AccountWorld, accountId: number): Promise<number> {
  const parents = await world.engine.page({
    ...{ accountId, includeHistory: true, newestFirst: false, limit: 1, afterOrderId: 0 },
  });
  const native = await world.paper.native.page({ accountId, symbol: "BTC/USD", limit: 100 });
  return parents.total + native.length;
}

/** The accounts about which an answer reveals something. */
const accountsIn = ({ text }: EntranceReply): ReadonlySet<string> =>
  new Set([...text.matchAll(/\\?"accountId\\?":([0-9]+)/g)].map(([, accountId]) => accountId ?? ""));

const onBehalf = { extra: { account: SUBJECT } };

/** Requests an action for the subject account and expects it there and nowhere else. */
async function served(world: AccountWorld, entrance: Entrance, requesting: Querying): Promise<void> {
  const before = await Promise.all([ordersOf(world, SUBJECT), ordersOf(world, 1)]);
  const answer = await entrance.ask(world, requesting);
  expect([answer.status, answer.code]).toEqual([200, undefined]);
  expect([...accountsIn(answer)].filter((accountId) => accountId !== String(SUBJECT))).toEqual([]);
  const [subject, own] = await Promise.all([ordersOf(world, SUBJECT), ordersOf(world, 1)]);
  expect(own).toBe(before[1]);
  if (entrance.creates === "nothing") expect(subject).toBe(before[0]);
  else expect(subject).toBeGreaterThan(before[0]);
}

it("every signed route and method is in the table", () => {
  const names = ENTRANCES.map(({ name }) => name);
  for (const { method, path, access } of ROUTES)
    if (access !== "PUBLIC") expect(names.some((name) => name.startsWith(`${method} ${path}`))).toBe(true);
  for (const { name, aliases, access } of METHODS)
    for (const called of access === "PUBLIC" ? [] : [name, ...aliases])
      expect(names.some((each) => each.startsWith(`WebSocket ${called}`))).toBe(true);
});

describe.each(ENTRANCES)("$name", (entrance) => {
  const { access, creates, name } = entrance;
  /** An amend is refused where a new order in its terms would be. */
  const isAmend = /^(PUT \/api\/order|WebSocket order\.amend)/.test(name);

  it("I07: a foreign account, one without this right and an unknown one get one answer, -1002", async () => {
    const world = await openAccountWorld();
    const { records } = world.engine.metrics();
    const unknown = await entrance.ask(world, { extra: { account: 999 } });
    expect([unknown.status, unknown.code]).toEqual([401, -1002]);
    const same = [await entrance.ask(world, onBehalf)];
    for (const rights of [
      delegate(OTHER[access]),
      delegate(),
      { delegates: [{ userId: 3, permissions: BOTH }] },
    ]) {
      put(world, rights);
      same.push(await entrance.ask(world, onBehalf));
    }
    put(world, delegate(...BOTH));
    for (const extra of [
      { userId: 2 },
      { account: SUBJECT, userId: 2 },
      { account: 999, userId: 1 },
      { userId: 999 },
    ])
      same.push(await entrance.ask(world, { extra }));
    for (const { text } of same) expect(text).toBe(unknown.text);
    expect(world.engine.metrics().records).toBe(records);
  });

  it("unknown key, ended key, wrong address and missing permission get one answer, -2015", async () => {
    const world = await openAccountWorld();
    const { records } = world.engine.metrics();
    const unknown = await entrance.ask(world, { key: KEYS.nobody });
    expect([unknown.status, unknown.code]).toEqual([401, -2015]);
    const same = [
      await entrance.ask(world, { key: KEYS.elsewhere, address: "192.0.2.7" }),
      await entrance.ask(world, { key: KEYS.elsewhere, address: "2001:db9::1" }),
      await entrance.ask(world, { key: access === "READ" ? KEYS.trader : KEYS.reader }),
    ];
    put(world, {}, [{ apiKey: "another", secret: "secret" }]);
    same.push(await entrance.ask(world, { key: KEYS.stranger }));
    for (const { text } of same) expect(text).toBe(unknown.text);
    expect(world.engine.metrics().records).toBe(records);
  });

  it("a delegate with only this right is served on behalf of the owner, and places orders there", async () => {
    const world = await openAccountWorld();
    put(world, delegate(access));
    await served(world, entrance, { extra: { account: SUBJECT, userId: 1 } });
  });

  it("the owner is served without an account, with userId, and with a key that has only this permission", async () => {
    const world = await openAccountWorld();
    await served(world, entrance, { key: KEYS.stranger, extra: { userId: 2 } });
  });

  it("another account of the caller is served by its id, from the addresses of the key's list", async () => {
    const world = await openAccountWorld();
    put(world, { userId: 1 }, []);
    const key = { key: KEYS.elsewhere, address: "::ffff:10.1.2.3" };
    await served(world, entrance, { ...key, ...onBehalf });
  });

  it("a restriction stops new orders and amends (-2010), not reads and cancels", async () => {
    for (const restricted of [true, ["ETH/USD", "BTC/USD"]]) {
      const world = await openAccountWorld();
      put(world, { restricted, ...delegate(access) });
      if (creates === "nothing" && !isAmend) await served(world, entrance, onBehalf);
      else expect(await entrance.ask(world, onBehalf)).toMatchObject({ status: 400, code: -2010 });
    }
    const world = await openAccountWorld();
    put(world, { restricted: ["ETH/USD"] });
    await served(world, entrance, { key: KEYS.stranger });
  });

  it("the owner's withdrawn consent stops new advanced orders of a delegate, nothing else", async () => {
    const world = await openAccountWorld();
    put(world, { enableDataSharing: false, ...delegate(access) });
    if (creates !== "managed" && !isAmend) await served(world, entrance, onBehalf);
    else expect(await entrance.ask(world, onBehalf)).toMatchObject({ status: 400, code: -2010 });
  });

  it("the key that replaces another is valid at once", async () => {
    const world = await openAccountWorld();
    const key = { apiKey: "the-new-key", secret: "the-new-secret" };
    put(world, {}, [key]);
    await served(world, entrance, { key });
  });
});

describe("an order that was placed on behalf", () => {
  it("belongs to the owner: the owner sees and cancels it; the delegate without READ does neither", async () => {
    const world = await openAccountWorld();
    put(world, delegate("TRADE"));
    const fields = {
      symbol: "BTC/USD",
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "0.01",
      price: "7000",
    };
    const placed = await call(world, "POST", "/api/order", {
      ...{ key: KEYS.owner, json: { ...fields, account: SUBJECT }, query: { nonce: world.nonce() } },
    });
    const { orderId } = placed.body as Readonly<{ orderId: number }>;
    const query = (rest = {}): Record<string, string | number> => ({
      ...{ symbol: "BTC/USD", orderId, timestamp: world.clock.nowMs(), nonce: world.nonce(), ...rest },
    });
    const ask = async (method: string, key: Credentials, rest = {}): Promise<unknown> => {
      const { status, body } = await call(world, method, "/api/order", { key, query: query(rest) });
      return body.code ?? [status, body.status];
    };
    expect(await ask("GET", KEYS.owner)).toBe(-2013);
    expect(await ask("GET", KEYS.owner, { account: SUBJECT })).toBe(-1002);
    expect(await ask("GET", KEYS.stranger)).toEqual([200, "NEW"]);
    expect(await ask("DELETE", KEYS.owner)).toBe(-2011);
    put(world, {});
    expect(await ask("DELETE", KEYS.owner, { account: SUBJECT })).toBe(-1002);
    expect(await ask("DELETE", KEYS.stranger)).toEqual([200, "CANCELED"]);
  });

  it("I03: an id used by the owner is taken for every caller; the delegate's own account has separate ids", async () => {
    const world = await openAccountWorld();
    put(world, delegate("TRADE"));
    const ask = async (key: Credentials, rest = {}, quantity = "0.01"): Promise<unknown> => {
      const json = {
        symbol: "BTC/USD",
        side: "BUY",
        type: "SYNTHETIC_LIMIT",
        price: "7000",
        newClientOrderId: "x",
      };
      const query = { nonce: world.nonce() };
      const { body } = await call(world, "POST", "/api/order", {
        key,
        json: { ...json, quantity, ...rest },
        query,
      });
      return body.code ?? body.orderId;
    };
    const first = await ask(KEYS.stranger);
    expect(await ask(KEYS.owner, { account: SUBJECT })).toBe(first);
    expect(await ask(KEYS.owner, { account: SUBJECT }, "0.02")).toBe(-2010);
    expect(await ask(KEYS.owner, {}, "0.02")).not.toBe(-2010);
  });
});
