import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/sandbox/exchange.ts";
import { activate, isBehindAnother } from "../../src/sandbox/standby-sandbox.ts";
import { createCluster } from "../support/cluster.ts";
import { pairOf } from "../support/sharing.ts";

describe("a sandbox that does not serve yet is behind another one", () => {
  it("that owns all shards, and not when it serves itself", async () => {
    const cluster = createCluster();
    const active = await cluster.start("a");
    const waiting = await cluster.start("b");
    expect([active, waiting].map(({ node }) => isBehindAnother(node))).toEqual([false, true]);
  });

  it("also if several share the shards", async () => {
    const { cluster } = await pairOf();
    const { node } = await cluster.start("c");
    expect(node.ownerOf()).toBeUndefined();
    expect(isBehindAnother(node)).toBe(true);
  });
});

it("a sandbox that has taken over is active only once its port serves", async () => {
  const exchange = {} as Exchange;
  const source: Parameters<typeof activate>[2] = { exchange: undefined };
  const seen: unknown[] = [];
  const serve = async (): Promise<void> => {
    seen.push(source.exchange);
  };
  await activate({ serve }, exchange, source);
  expect([...seen, source.exchange]).toEqual([undefined, exchange]);
});
