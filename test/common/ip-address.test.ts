import { expect, it } from "vitest";
import { networkOf, parseAddress } from "../../src/common/ip-address.ts";

it.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:0.0.2.255", "0.0.2.255"],
  ["::FFFF:c000:201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1%eth0", "192.0.2.1"],
  ["192.0.2.1%eth0", "192.0.2.1"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["fe80::2%wlan0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::192.0.2.1", "0:0:0:0::/64"],
])("%s is counted as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  "",
  "a",
  "unix:",
  "1::2::3",
  "::ffff:192.0.2.256",
  "::ffff:192.0.2.01",
  "::ffff:192.0.2.1.",
  "2001:db8::g",
])("%j is not an address and is counted as it is", (address) => {
  expect(parseAddress(address)).toBeUndefined();
  expect(networkOf(address)).toBe(address);
});

it("neighbors are counted separately: another /64, another IPv4 address", () => {
  expect(networkOf("2001:db8:1:2::1")).not.toBe(networkOf("2001:db8:1:3::1"));
  expect(networkOf("::ffff:192.0.2.1")).not.toBe(networkOf("::ffff:192.0.2.2"));
});
