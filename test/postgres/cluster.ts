import { clusterRounds } from "../cluster/rounds.ts";
import type { Step } from "./steps.ts";

/** The faults of the short form. `npm run cluster -- --rounds 300` makes all of them. */
const SHORT = [
  "the active node is killed at a named point",
  "the active node sleeps while another one takes over",
  "venue and active node are killed",
  "the connections to the venue break at any byte",
];

/** A few rounds of a cluster of processes, with the venue as one of them, on a server of its own. */
export const CLUSTER_STEPS: Readonly<Record<string, Step>> = {
  "I01, I06, I10, I53: sandboxes as processes, with a venue of its own, keep every order over faults of both":
    async ({ binaries = "" }) => {
      const seed = Math.floor(Math.random() * 1_000_000);
      const parts = { rounds: SHORT.length, seed, binaries, only: SHORT, say: () => undefined };
      await clusterRounds(parts).catch((cause: unknown) => {
        throw new Error(`with seed ${seed}`, { cause });
      });
    },
};
