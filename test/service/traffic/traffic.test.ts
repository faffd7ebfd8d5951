import { describe, expect, it } from "vitest";
import type { TrafficLimits } from "../../../src/service/traffic/api.ts";
import { Traffic } from "../../../src/service/traffic/traffic.ts";

type Out = readonly [name: string, kind: string, scope: string];

/** Guests by name, the disconnected ones, and the waiting bytes of each. */
function house(limits: TrafficLimits) {
  const traffic = new Traffic(limits);
  const out: Out[] = [];
  const waits = new Map<string, number>();
  const guest = (name: string, network: string) =>
    traffic.guest(network, {
      unsentBytes: () => waits.get(name) ?? 0,
      evict: (kind, scope) => out.push([name, kind, scope]),
    });
  return { traffic, out, waits, guest };
}

describe("budgets in bytes", () => {
  it.each(["unread", "unanswered"] as const)("%s: a connection above its limit is disconnected", (kind) => {
    const { guest, out } = house({ [kind]: { perConnection: 100 } });
    const one = guest("one", "a");
    expect([one.hold(kind, 100), one.hold(kind, -60), one.hold(kind, 60), one.hold(kind, 1)]).toEqual([
      ...[true, true, true, false],
    ]);
    expect(out).toEqual([["one", kind, "connection"]]);
  });

  it("of an address, the connection with the most bytes goes; one with few stays, whichever came last", () => {
    const { guest, out } = house({ unread: { perAddress: 100 } });
    const [large, small, other] = [guest("large", "a"), guest("small", "a"), guest("other", "b")];
    expect([other.hold("unread", 90), large.hold("unread", 80), small.hold("unread", 30)]).toEqual([
      ...[true, true, true],
    ]);
    expect(out).toEqual([["large", "unread", "address"]]);
    expect([large.hold("unread", 1), small.hold("unread", 50)]).toEqual([false, true]);
  });

  it("of all, the connection with the most bytes of the address with the most", () => {
    const { guest, out } = house({ unanswered: { inAll: 100 } });
    const [one, two, single] = [guest("one", "a"), guest("two", "a"), guest("single", "b")];
    for (const [held, bytes] of [
      [one, 30],
      [two, 20],
      [single, 40],
      [two, 15],
    ] as const) {
      held.hold("unanswered", bytes);
    }
    expect(out).toEqual([["two", "unanswered", "all"]]);
  });

  it("unsent bytes: those that a peer has read meanwhile do not count against it", () => {
    const { guest, out, waits } = house({ unsent: { perConnection: 100, perAddress: 150 } });
    const [reader, deaf] = [guest("reader", "a"), guest("deaf", "a")];
    waits.set("deaf", 90);
    deaf.hold("unsent", 90);
    for (let count = 0; count < 50; count++) expect(reader.hold("unsent", 80)).toBe(true);
    waits.set("deaf", 120);
    expect([deaf.hold("unsent", 30), out]).toEqual([false, [["deaf", "unsent", "connection"]]]);
  });

  it("the bytes of a connection are free when it has ended", () => {
    const { guest, out } = house({ unread: { perAddress: 100 } });
    for (let count = 0; count < 1_000; count++) {
      const one = guest("one", "a");
      one.hold("unread", 99);
      one.end();
    }
    expect(out).toEqual([]);
  });
});

describe("connections of an address", () => {
  it("one too many is -1003; each end makes room for one", () => {
    const { traffic } = house({ connectionsPerAddress: 2 });
    const [leave] = [traffic.enter("a"), traffic.enter("a")];
    expect(traffic.enter("a")).toBeUndefined();
    expect(traffic.tooMany).toMatchObject({ code: -1003, status: 429 });
    expect(traffic.tooMany.msg).toContain("Too many connections; current limit is 2 connections");
    expect(traffic.enter("b")).toBeDefined();
    leave?.();
    leave?.();
    expect(traffic.enter("a")).toBeDefined();
    expect(traffic.enter("a")).toBeUndefined();
  });

  it("a connection of a trusted proxy counts for no address, a request over it for its client", () => {
    const traffic = new Traffic({}, ["10.0.0.0/8"]);
    const rawHeaders = ["X-Forwarded-For", "2001:db8:0:1::7"];
    expect(traffic.peerOf("10.0.0.1")).toBeUndefined();
    expect(traffic.peerOf("::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(traffic.networkOf({ remoteAddress: "10.0.0.1", rawHeaders })).toBe("2001:db8:0:1::/64");
    expect(traffic.networkOf({ remoteAddress: "192.0.2.1", rawHeaders })).toBe("192.0.2.1");
  });
});

describe("networks that have proved a key", () => {
  it("a network has proved a key from then on, until a limit refuses it or it has no connection left", () => {
    const { traffic } = house({});
    traffic.proved("a");
    const leaves = [traffic.enter("a"), traffic.enter("a"), traffic.enter("b")];
    expect(traffic.isProved("a")).toBe(false);
    traffic.proved("a");
    expect([traffic.isProved("a"), traffic.isProved("b")]).toEqual([true, false]);
    traffic.refused("a");
    expect(traffic.isProved("a")).toBe(false);
    traffic.proved("a");
    leaves[0]?.();
    expect(traffic.isProved("a")).toBe(true);
    leaves[1]?.();
    traffic.enter("a");
    expect(traffic.isProved("a")).toBe(false);
  });
});
