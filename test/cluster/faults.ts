import type { ProbePoint } from "../../src/engine/index.ts";
import { SNAPSHOT_POINTS, SUBMIT_POINTS } from "../../src/sandbox/crash-points.ts";
import type { Random } from "../../src/simulator/random/index.ts";
import type { SandboxProcess } from "../support/sandbox-process.ts";
import type { Slot, Stack } from "./stack.ts";

/** The stack, its active node, and the source of chance of a round. */
export type Round = Readonly<{
  stack: Stack;
  active: Readonly<{ slot: Slot; process: SandboxProcess }>;
  random: Random;
  ttlMs: number;
}>;

/** Makes one fault under load. Resolves when it is over, up to the restart of processes. */
export type Fault = (round: Round) => Promise<void>;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const POINTS: readonly ProbePoint[] = [...SUBMIT_POINTS, ...SNAPSHOT_POINTS];

/** Faults by name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "the active node is killed": async ({ active, random }) => {
    await sleep(random.below(600));
    await active.process.kill();
  },
  "the active node is killed at a named point": async ({ active, random }) => {
    const order = { at: random.pick(POINTS), skip: random.below(6) };
    await active.process.control("POST", "crash", order);
    await Promise.race([active.process.ended, sleep(3_000)]);
    await active.process.kill();
  },
  "the active node is asked to end": async ({ active, random }) => {
    await sleep(random.below(600));
    active.process.process.kill("SIGTERM");
    await active.process.ended;
  },
  "a standby is killed": async ({ stack, active, random }) => {
    await sleep(random.below(300));
    const others = stack.slots.filter((slot) => slot !== active.slot && slot.process !== undefined);
    if (others.length > 0) await random.pick(others).process?.kill();
    await sleep(random.below(300));
  },
  "all nodes are killed": async ({ stack, random }) => {
    await sleep(random.below(600));
    await Promise.all(stack.slots.map(({ process }) => process?.kill()));
  },
  "Postgres is killed": async ({ stack, random }) => {
    await sleep(random.below(600));
    await stack.server.kill();
    await sleep(random.below(1_000));
    await stack.server.start();
  },
  "the connections to Postgres are cut": async ({ stack, random }) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      await sleep(random.below(300));
      stack.proxy.cut();
    }
  },
  "answers of Postgres are lost": async ({ stack, random }) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      await sleep(random.below(300));
      stack.proxy.behaviour.losesAnswer = true;
    }
    await sleep(300);
    stack.proxy.behaviour.losesAnswer = false;
  },
  "Postgres is slow": async ({ stack, random }) => {
    stack.proxy.behaviour.delayMs = 50 + random.below(450);
    await sleep(500 + random.below(1_000));
    stack.proxy.behaviour.delayMs = 0;
  },
  "Postgres hears nothing for longer than a lease": async ({ stack, random, ttlMs }) => {
    await sleep(random.below(300));
    stack.proxy.behaviour.holds = true;
    await sleep(ttlMs * (1 + random.below(2)));
    stack.proxy.deliver();
  },
};
