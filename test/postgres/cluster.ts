import { clusterRounds } from "../campaigns/cluster/rounds.ts";
import type { Step } from "./steps.ts";

/** The faults of the short form. `npm run cluster -- --rounds 300` makes all of them. */
const SHARING = [
  "a node is killed at a named point",
  "a node sleeps while another one takes over",
  "venue and a node are killed",
  "the shards of the accounts move",
];

/** The same with one active node. */
const WHOLE = ["the connections to the venue break at any byte"];

const rounds =
  (shares: boolean, only: readonly string[]): Step =>
  async ({ binaries = "" }) => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const parts = { rounds: only.length, seed, shares, binaries, only, say: () => undefined };
    await clusterRounds(parts).catch((cause: unknown) => {
      throw new Error(`with seed ${seed}`, { cause });
    });
  };

/** A few rounds of clusters of processes, with the venue as one of them, on a server of their own. */
export const CLUSTER_STEPS: Readonly<Record<string, Step>> = {
  "I01, I06, I10, I53: sandboxes that share the shards, with a venue of its own, keep every order over faults of both":
    rounds(true, SHARING),
  "I01, I06, I10, I53: sandboxes of which one is active, with a venue of its own, keep every order over faults of both":
    rounds(false, WHOLE),
};
