import { describe, expect, it } from "vitest";
import type { NativeExecution } from "../../src/model/index.ts";
import type { AccountEvent } from "../../src/ports/index.ts";
import { openNativeWorld, reportedExecution, reportedOrder } from "../support/native-world.ts";
import { reported } from "../support/scripted-venue.ts";
import { type ServiceWorld, START_MS } from "../support/service-world.ts";

type ReportingWorld = Readonly<{
  world: ServiceWorld;
  notifyAccount: (event: AccountEvent) => void;
  notifyNative: (execution: NativeExecution) => void;
}>;

/** Account 1 has six orders whose children were refused for lack of funds, and the next is tried in some seconds. */
async function poorWorld(): Promise<ReportingWorld> {
  const accountListeners: ((event: AccountEvent) => void)[] = [];
  const nativeListeners: ((execution: NativeExecution) => void)[] = [];
  const accountEvents = {
    afterFill: () => undefined,
    subscribe: (listener: (event: AccountEvent) => void) => {
      accountListeners.push(listener);
      return () => undefined;
    },
  };
  const subscribe = (listener: (execution: NativeExecution) => void) => {
    nativeListeners.push(listener);
    return () => undefined;
  };
  const world = await openNativeWorld({ service: { sockets: { accountEvents } } }, () => ({ subscribe }));
  world.venue.onSubmit = ({ childId }) => ({ ...reported(childId, "rejected"), mark: "INSUFFICIENT_FUNDS" });
  const order = {
    symbol: "BTC/USD",
    side: "BUY",
    type: "SYNTHETIC_LIMIT",
    quantity: "1",
    price: "7000",
  } as const;
  for (let n = 0; n < 6; n++)
    await world.engine.place({ accountId: 1, order: { ...order, newClientOrderId: `a${n}` } });
  for (let step = 0; step < 60; step++) await resume(world, 500);
  const before = world.venue.submitted.length;
  for (let step = 0; step < 60 && world.venue.submitted.length === before; step++) await resume(world, 200);
  return {
    world,
    notifyAccount: (event) => {
      for (const listen of accountListeners) listen(event);
    },
    notifyNative: (execution) => {
      for (const listen of nativeListeners) listen(execution);
    },
  };
}

/** Advances time, then sends a quote at which every order could be filled. */
async function resume(world: ServiceWorld, ms: number): Promise<void> {
  await world.clock.advanceBy(ms, () => world.engine.idle());
  world.engine.market.quote({ symbol: "BTC/USD", bid: "6999", ask: "7000" });
  await world.engine.idle();
}

/** Children that go out in the next seconds, before a retry by the pace. */
async function sentSoon(world: ServiceWorld): Promise<number> {
  const before = world.venue.submitted.length;
  for (let step = 0; step < 8; step++) await resume(world, 200);
  return world.venue.submitted.length - before;
}

const deposit = (accountId: number): AccountEvent => ({
  accountId,
  update: {
    reason: "DEPOSIT",
    timeMs: START_MS,
    balances: [{ asset: "USD", wallet: "10", change: "10" }],
    positions: [],
  },
});

describe("the host's events about an account's funds resume its children", () => {
  it.each<readonly [string, (received: ReportingWorld) => void]>([
    ["a balance that changed", ({ notifyAccount }) => notifyAccount(deposit(1))],
    ["a native fill", ({ notifyNative }) => notifyNative(reportedExecution())],
  ])("%s", async (_, report) => {
    const received = await poorWorld();
    report(received);
    expect(await sentSoon(received.world)).toBeGreaterThanOrEqual(2);
  });

  it.each<readonly [string, (received: ReportingWorld) => void]>([
    ["nothing", () => undefined],
    ["a balance of another account", ({ notifyAccount }) => notifyAccount(deposit(2))],
    ["a margin call", ({ notifyAccount }) => notifyAccount({ accountId: 1, call: { positions: [] } })],
    [
      "a native order that rests",
      ({ notifyNative }) => {
        const {
          lastQuantity: _q,
          lastPrice: _p,
          ...rest
        } = reportedExecution(reportedOrder({ status: "NEW" }));
        notifyNative({ ...rest, execType: "NEW" });
      },
    ],
  ])("not %s", async (_, report) => {
    const received = await poorWorld();
    report(received);
    expect(await sentSoon(received.world)).toBe(0);
  });
});
