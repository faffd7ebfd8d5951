import { expect, it } from "vitest";
import { createManualClock, createMemoryDisk, createMemoryStore } from "../../src/adapters/memory/index.ts";
import type { KeyValueStore } from "../../src/ports/index.ts";
import {
  type AccountSetup,
  type Directory,
  openDirectory,
  readAccountSetup,
  SharedAccounts,
} from "../../src/sandbox/accounts.ts";

const setup = (accountId: number, changes: Partial<Record<keyof AccountSetup, unknown>> = {}): AccountSetup =>
  readAccountSetup({
    ...{ accountId, apiKey: `key-${accountId}`, secret: `secret-${accountId}` },
    ...{ permissions: ["TRADE"], enableDataSharing: true, ...changes },
  });

/** Two processes on one store: the directory of the one, and the accounts of the other with the number of its reads. */
async function pair(): Promise<{
  first: Directory;
  second: Directory;
  accounts: SharedAccounts;
  clock: ReturnType<typeof createManualClock>;
  reads: () => number;
  /** Lets the next read take what is there, and wait with its answer until the returned function is called. */
  hold: () => () => void;
  fault: { message: string | undefined };
}> {
  const disk = createMemoryDisk();
  const clock = createManualClock({ startMs: 0 });
  const fault = { message: undefined as string | undefined };
  const first = await openDirectory(createMemoryStore({ disk }).keyValue);
  const store = createMemoryStore({ disk }).keyValue;
  let reads = 0;
  let held: Promise<void> | undefined;
  const hold = (): (() => void) => {
    let release = (): void => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  const counted: KeyValueStore = {
    async get(key) {
      reads++;
      if (fault.message !== undefined) throw new Error(fault.message);
      const wait = held;
      held = undefined;
      const answer = await store.get(key);
      await wait;
      return answer;
    },
    set: (key, value) => store.set(key, value),
  };
  const second = await openDirectory(counted);
  const accounts = new SharedAccounts(second, clock);
  return { first, second, accounts, clock, reads: () => reads, hold, fault };
}

it("an account or key that another process has added counts at once", async () => {
  const { first, accounts } = await pair();
  expect(await accounts.key("key-7")).toBeUndefined();
  await first.replaceAccount(setup(7));
  expect(await accounts.key("key-7")).toMatchObject({ accountId: 7, secret: "secret-7" });
  await first.replaceAccount(setup(8));
  expect(await accounts.account(8)).toMatchObject({ accountId: 8 });
});

it("what another process has changed or revoked counts within a second, and is not read in between", async () => {
  const { first, accounts, clock, reads } = await pair();
  await first.replaceAccount(setup(7));
  await accounts.key("key-7");
  await first.replaceAccount(setup(7, { apiKey: "key-7b", restricted: true }));
  const before = reads();
  await clock.advanceBy(999, async () => undefined);
  expect(await accounts.account(7)).toMatchObject({ restricted: false });
  expect(reads()).toBe(before);
  await clock.advanceBy(1, async () => undefined);
  expect(await accounts.key("key-7")).toBeUndefined();
  expect(await accounts.account(7)).toMatchObject({ restricted: true });
});

it("questions about unknown keys share a read, and never one that had begun before", async () => {
  const { first, accounts, reads, hold } = await pair();
  const before = reads();
  const release = hold();
  const early = accounts.key("key-7");
  await expect.poll(reads).toBe(before + 1);
  await first.replaceAccount(setup(7));
  const late = Array.from({ length: 50 }, () => accounts.key("key-7"));
  release();
  expect(await early).toBeUndefined();
  expect((await Promise.all(late)).every((key) => key?.accountId === 7)).toBe(true);
  expect(reads() - before).toBe(2);
});

it("a store that fails is a failure and no unknown key; the next question reads again", async () => {
  const { first, accounts, fault } = await pair();
  await first.replaceAccount(setup(7));
  fault.message = "the database is away";
  await expect(accounts.key("key-7")).rejects.toThrow("the database is away");
  fault.message = undefined;
  expect(await accounts.key("key-7")).toMatchObject({ accountId: 7 });
});

it("processes that add accounts one after the other keep each other's", async () => {
  const { first, second } = await pair();
  await first.replaceAccount(setup(7));
  await second.replaceAccount(setup(8));
  await first.replaceAccount(setup(9));
  await second.readAgain();
  expect([7, 8, 9].map((id) => second.account(id)?.accountId)).toEqual([7, 8, 9]);
  await expect(second.replaceAccount(setup(10, { apiKey: "key-9" }))).rejects.toThrow("belongs to account 9");
});
