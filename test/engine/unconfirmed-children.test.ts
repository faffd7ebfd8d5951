import { describe, expect, it } from "vitest";
import { createMemoryAccounts } from "../../src/adapters/memory/index.ts";
import { shardOf } from "../../src/lifecycle/index.ts";
import { requesting } from "../support/recorded-store.ts";
import { createScriptedVenue, filled } from "../support/scripted-venue.ts";
import { accountEntry, createWorld, type World } from "../support/world.ts";

const ACCOUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const SILENCE = (): Promise<void> => new Promise(() => undefined);

/**
 * A world whose store, from `begin` on, answers questions about the owner of a shard only after `answer` of its account. `sent`
 * are the accounts of the children that have gone out since then.
 */
async function slowStore(
  { accounts, rate }: Readonly<{ accounts: readonly number[]; rate: number }>,
  answer: (accountId: number, world: World) => Promise<void>,
) {
  let hasBegun = false;
  const world: World = await createWorld({
    accounts: createMemoryAccounts(ACCOUNTS.map(accountEntry)),
    venue: createScriptedVenue({ ratePerSecond: rate }),
    settings: { submitDeadlineMs: 60_000 },
    store: requesting(async (shard) => {
      const accountId = ACCOUNTS.find((one) => shardOf(one) === shard);
      if (hasBegun && accountId !== undefined) await answer(accountId, world);
    }),
  });
  for (const account of accounts) await world.place({ price: "100" }, account);
  hasBegun = true;
  const sent: number[] = [];
  world.venue.onSubmit = (child) => {
    sent.push(child.accountId);
    return filled(child);
  };
  await world.quote("99", "100");
  return { world, sent };
}

/** Lets an answer of the store take longer than promises. */
const soon = ({ clock }: World): Promise<void> =>
  new Promise((resolve) => clock.schedule(clock.monotonicMs() + 2, resolve));

describe("decision 26: children that wait for the store to say whose their shard is", () => {
  it("keep children of others no longer if the store is silent about many shards than about one", async () => {
    const answer = async (accountId: number): Promise<void> => {
      if (accountId !== 9) await SILENCE();
    };
    const { world, sent } = await slowStore({ accounts: [1, 1, 1, ...ACCOUNTS], rate: 1 }, answer);
    await world.pass(3_200);
    expect(sent).toEqual([1, 1, 2, 9]);
  });

  it("are asked about again after a pause, also while the store is silent about another shard", async () => {
    let requested = 0;
    const answer = async (accountId: number, world: World): Promise<void> => {
      if (accountId === 1) await SILENCE();
      requested++;
      await soon(world);
      throw new Error("the store is away");
    };
    const { world } = await slowStore({ accounts: [1, 1, 1, 1, 2, 3], rate: 1 }, answer);
    await world.pass(4_000);
    expect(requested).toBeGreaterThan(2);
    expect(requested).toBeLessThan(25);
  });

  it("go out at a slow and busy venue if the store answers, also while it is silent about other shards", async () => {
    const answer = (accountId: number, world: World): Promise<void> =>
      [1, 4, 5, 6].includes(accountId) ? SILENCE() : soon(world);
    const accounts = [1, 1, 3, 2, 4, 2, 5, 2, 6, 2];
    const { world, sent } = await slowStore({ accounts, rate: 0.4 }, answer);
    for (let second = 0; second < 10; second++) {
      await world.pass(1_000);
      await world.place({ price: "100" }, 2);
      await world.quote("99", "100");
    }
    expect(sent.slice(0, 3)).toEqual([1, 2, 3]);
  });
});
