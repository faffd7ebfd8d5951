import { parseAddress } from "../../common/index.ts";
import type { WireRequest } from "../../wire/index.ts";
import { type AddressList, addressList } from "./address-list.ts";

/** The parts of a request that determine the client's address. */
export type Arrived = Pick<WireRequest, "rawHeaders" | "remoteAddress">;

/** Returns the address of the client that sent a request, as text. */
export type ClientAddress = (arrived: Arrived) => string;

const FORWARDED_FOR = "x-forwarded-for";

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]{1,5})?$/;

/**
 * Returns a function that finds the client's address behind the given proxies, which are addresses or CIDR blocks. For
 * a request from a trusted proxy, it is the right-most address in X-Forwarded-For that is not a trusted proxy. Entries
 * to the left of it can be forged and are not read. If all entries are trusted, it is the left-most. If the header is
 * missing, or an entry that would count is not an address, it is the proxy's. The header of any other peer is not read.
 */
export function clientAddressBehind(trustedProxies: readonly string[] = []): ClientAddress {
  if (trustedProxies.length === 0) return ({ remoteAddress }) => remoteAddress;
  const isTrusted = trustedProxyList(trustedProxies);
  return ({ remoteAddress, rawHeaders }) => {
    if (!isTrusted(remoteAddress)) return remoteAddress;
    return outermost(forwardedFor(rawHeaders), isTrusted) ?? remoteAddress;
  };
}

/** Returns the list of trusted proxies; none by default. */
export function trustedProxyList(trustedProxies: readonly string[] = []): AddressList {
  return trustedProxies.length === 0 ? () => false : addressList(trustedProxies);
}

/** Returns the values of a header in the order received; `name` is in lower case. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** Returns the entries of all X-Forwarded-For headers, the one added by the nearest proxy first. */
function forwardedFor(rawHeaders: readonly string[]): readonly string[] {
  return headerValues(rawHeaders, FORWARDED_FOR).join(",").split(",").reverse();
}

function outermost(entries: readonly string[], isTrusted: AddressList): string | undefined {
  let last: string | undefined;
  for (const entry of entries) {
    const address = addressOf(entry.trim());
    if (address === undefined) return undefined;
    if (!isTrusted(address)) return address;
    last = address;
  }
  return last;
}

function addressOf(entry: string): string | undefined {
  const [, v6, v4] = WITH_PORT.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  return parseAddress(address) === undefined ? undefined : address;
}
