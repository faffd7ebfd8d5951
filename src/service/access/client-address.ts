import type { WireRequest } from "../../wire/index.ts";
import { type AddressList, addressList, readAddressBlock } from "./address-list.ts";
import { parseAddress } from "./ip-address.ts";

/** What of a request tells where it comes from. */
export type Arrived = Pick<WireRequest, "rawHeaders" | "remoteAddress">;

/** The address of the client that a request comes from, as text. */
export type ClientAddress = (arrived: Arrived) => string;

const FORWARDED_FOR = "x-forwarded-for";

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]{1,5})?$/;

/**
 * How a service tells its clients apart behind these proxies, addresses or CIDR blocks. A request of a trusted proxy
 * comes from the right-most address of X-Forwarded-For that is no trusted proxy; what stands to the left of it may be
 * anybody's invention and is not read. When all of them are trusted, it comes from the left-most. Where the header is
 * missing, or an address that would count is none, it comes from the proxy. Of any other peer the header is not read.
 * Throws a RangeError for a proxy that is neither address nor block.
 */
export function clientAddressBehind(trustedProxies: readonly string[] = []): ClientAddress {
  if (trustedProxies.length === 0) return ({ remoteAddress }) => remoteAddress;
  const isTrusted = trustedProxyList(trustedProxies);
  return ({ remoteAddress, rawHeaders }) => {
    if (!isTrusted(remoteAddress)) return remoteAddress;
    return outermost(forwardedFor(rawHeaders), isTrusted) ?? remoteAddress;
  };
}

/** Whether an address is a trusted proxy's; none are trusted by default. Throws a RangeError like {@link clientAddressBehind}. */
export function trustedProxyList(trustedProxies: readonly string[] = []): AddressList {
  const wrong = trustedProxies.find((text) => readAddressBlock(text) === undefined);
  if (wrong !== undefined) throw new RangeError(`trustedProxies: no address and no CIDR block: ${wrong}`);
  return trustedProxies.length === 0 ? () => false : addressList(trustedProxies);
}

/** The values of a header in the order in which they came; `name` in lower case. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** The entries of all such headers, the one that the nearest proxy has added first. */
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
