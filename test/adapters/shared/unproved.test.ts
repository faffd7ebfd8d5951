import { describe, expect, it } from "vitest";
import { Unproved } from "../../../src/adapters/shared/index.ts";

/** Fills all places from addresses in turn; returns who has been put out, by the number of their arrival. */
function crowd(addresses: readonly string[], known: readonly string[] = []) {
  const out: number[] = [];
  let crowded = 0;
  let arrivals = 0;
  const unproved = new Unproved(() => crowded++);
  for (const address of known) unproved.proved(address);
  const enter = (address: string) => {
    const arrival = arrivals++;
    return unproved.enter(address, () => out.push(arrival));
  };
  const leaves = Array.from({ length: 256 }, (_, n) => enter(addresses[n % addresses.length] ?? ""));
  return { enter, out, leaves, timesCrowded: () => crowded };
}

describe("strangers do not keep others out", () => {
  it("the network with the most places loses its oldest", () => {
    const { enter, out } = crowd(["192.0.2.1", "192.0.2.2", "192.0.2.1"]);
    enter("192.0.2.3");
    enter("192.0.2.3");
    expect(out).toEqual([0, 2]);
  });

  it("all addresses of 64 bits of IPv6 are one network", () => {
    const { enter, out } = crowd(["2001:db8::1", "192.0.2.2", "2001:db8::2"]);
    enter("192.0.2.3");
    expect(out).toEqual([0]);
  });

  it("of as many networks as places, the oldest goes, and a newcomer stays", () => {
    const { enter, out } = crowd(Array.from({ length: 256 }, (_, n) => `10.0.0.${n}`));
    enter("192.0.2.3");
    expect(out).toEqual([0]);
  });

  it("a network that has proved itself keeps its places while strangers hold any", () => {
    const { enter, out } = crowd(["192.0.2.1", "192.0.2.1", "192.0.2.2"], ["192.0.2.1"]);
    for (let n = 0; n < 85; n++) enter("192.0.2.1");
    expect(out).toEqual(Array.from({ length: 85 }, (_, n) => 3 * n + 2));
  });

  it("a stranger does not put out the known: it is put out itself", () => {
    const { enter, out } = crowd(["192.0.2.1"], ["192.0.2.1"]);
    enter("192.0.2.9");
    expect(out).toEqual([256]);
  });

  it("says that it is crowded once, and again after half of the places were free", () => {
    const { enter, leaves, timesCrowded } = crowd(["192.0.2.1"]);
    enter("192.0.2.1");
    enter("192.0.2.1");
    expect(timesCrowded()).toBe(1);
    for (const leave of leaves) leave();
    for (let n = 0; n < 257; n++) enter("192.0.2.1");
    expect(timesCrowded()).toBe(2);
  });
});
