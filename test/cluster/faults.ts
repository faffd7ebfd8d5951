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

/** Longest time until another node serves. */
const LONGEST_TAKEOVER_MS = 30_000;

/** Stops the active node until another one serves, and wakes it. It must end, because it is no longer needed. */
async function sleepThroughTakeover({ stack, active, random }: Round): Promise<void> {
  const { slot, process } = active;
  await sleep(random.below(300));
  process.process.kill("SIGSTOP");
  const end = performance.now() + LONGEST_TAKEOVER_MS;
  while (stack.front.serving.length === 0 || stack.front.serving.includes(slot.name)) {
    if (performance.now() > end) throw new Error("no node took over from one that sleeps");
    await sleep(20);
  }
  await sleep(random.below(500));
  process.process.kill("SIGCONT");
  const how = await Promise.race([process.ended, sleep(10_000)]);
  if (how !== 1) throw new Error(`a node that slept through a takeover ended with ${String(how)}`);
}

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
  "the active node sleeps while another one takes over": sleepThroughTakeover,
  "the active node sleeps for less than a lease": async ({ active, random, ttlMs }) => {
    await sleep(random.below(300));
    active.process.process.kill("SIGSTOP");
    await sleep(random.below(ttlMs));
    active.process.process.kill("SIGCONT");
  },
  "the venue is killed": async ({ stack, random }) => {
    await sleep(random.below(600));
    await stack.venue.kill();
    await sleep(random.below(1_000));
    await stack.venue.start();
  },
  "venue and active node are killed": async ({ stack, active, random }) => {
    await sleep(random.below(600));
    await Promise.all([stack.venue.kill(), active.process.kill()]);
    await sleep(random.below(1_000));
    await stack.venue.start();
  },
  "the venue sleeps": async ({ stack, random }) => {
    await sleep(random.below(300));
    stack.venue.pause(true);
    await sleep(random.below(2_000));
    stack.venue.pause(false);
  },
  "the connections to the venue are cut": async ({ stack, random }) => {
    for (let times = 1 + random.below(4); times > 0; times--) {
      await sleep(random.below(300));
      stack.venue.cutter.cutAll();
    }
  },
  "the connections to the venue break at any byte": async ({ stack, random }) => {
    const { cutter } = stack.venue;
    cutter.plan(() => ({ toServer: 1 + random.below(3_000), toClient: 1 + random.below(3_000) }));
    cutter.cutAll();
    await sleep(500 + random.below(1_500));
    cutter.plan(() => ({}));
    cutter.cutAll();
  },
  "the venue cannot be reached": async ({ stack, random }) => {
    await sleep(random.below(300));
    stack.venue.cutter.setOutage(true);
    await sleep(random.below(2_000));
    stack.venue.cutter.setOutage(false);
  },
};
