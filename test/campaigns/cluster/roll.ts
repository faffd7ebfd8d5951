import { createRandom } from "../../../src/common/random.ts";
import { check } from "./checks.ts";
import { expectEnd } from "./faults.ts";
import { Load, openAccounts } from "./load.ts";
import { SETTINGS } from "./rounds.ts";
import { Stack } from "./stack.ts";

/** Another version beside this one, and where what happens is told. */
export type RollOptions = Readonly<{
  /** The folder of its built package. */
  version: string;
  seed: number;
  binaries: string;
  say: (line: string) => void;
}>;

/**
 * Replaces the nodes of a cluster under load one after the other, from another version to this one and back, as an operator
 * does: each is asked to end, gives its shards away, and starts in the other version. Everything is checked after each step.
 */
export async function roll({ version, seed, binaries, say }: RollOptions): Promise<void> {
  const random = createRandom(seed);
  const stack = await Stack.open({
    ...{ nodes: 3, shares: true, version, binaries, market: "manual", settings: SETTINGS },
  });
  try {
    const accounts = await openAccounts(stack, seed, SETTINGS);
    for (const next of [undefined, version]) {
      for (const slot of stack.slots) {
        const { process } = slot;
        if (process === undefined) throw new Error(`${slot.name} has ended`);
        const load = new Load(stack, accounts, random.below(1_000_000));
        try {
          await load.answered(2);
          process.process.kill("SIGTERM");
          await expectEnd({ slot, process }, 0, "after SIGTERM");
          slot.version = next;
          await stack.start(slot);
          await stack.served();
          await load.answered(3);
        } finally {
          await load.stop();
        }
        await check(stack, accounts, random);
        const worst = Math.max(...[...load.watches.values()].map(({ longestMs }) => longestMs));
        const shards = JSON.stringify(Object.fromEntries(await stack.shards()));
        const to = next === undefined ? "this version" : "the other version";
        say(`${slot.name} runs ${to}: ${Math.round(worst)} ms without service, shards ${shards}`);
      }
    }
  } catch (error) {
    for (const words of stack.lastWords) say(words.trim());
    throw error;
  } finally {
    await stack.close();
  }
}
