import { ADDRESS_BITS, parseAddress, V4_BITS } from "../../common/index.ts";
import type { WireRequest } from "../../wire/index.ts";

const PREFIX_LENGTH = /^(0|[1-9][0-9]{0,2})$/;

/** A block of addresses with the same leading bits as `start`; `rest` is the number of bits after the prefix. */
type Block = Readonly<{ base: string; start: bigint; length: bigint; rest: bigint }>;

function parseBlock(text: string): Block | undefined {
  const [base = "", length, ...more] = text.split("/");
  const start = parseAddress(base);
  const bits = base.includes(":") ? ADDRESS_BITS : V4_BITS;
  const prefix = length === undefined ? bits : PREFIX_LENGTH.test(length) ? BigInt(length) : undefined;
  if (start === undefined || prefix === undefined || prefix > bits || more.length > 0) return undefined;
  return { base, start, length: prefix, rest: bits - prefix };
}

/**
 * Normalises a CIDR block to its address and prefix length, such as `10.0.0.0/8`. A bare address is a block of one.
 * Returns undefined for text that is neither. Source: contract, Version 2 GET queries 4.
 */
export function readAddressBlock(text: string): string | undefined {
  const block = parseBlock(text);
  return block && `${block.base}/${block.length}`;
}

/** Returns whether an address is in a list. */
export type AddressList = (address: string) => boolean;

/**
 * Parses CIDR blocks once, for many look-ups (a bare address is a block of one). An empty list contains every address.
 * An entry that is not a block contains none. IPv4 and its IPv4-mapped IPv6 form are the same address.
 * Source: contract, Version 2 GET queries 4.
 */
function addressList(texts: readonly string[]): AddressList {
  if (texts.length === 0) return () => true;
  const blocks = texts.map(parseBlock).filter((block) => block !== undefined);
  return (address) => {
    const value = parseAddress(address);
    return value !== undefined && blocks.some(({ start, rest }) => value >> rest === start >> rest);
  };
}

/** The lists of keys that were parsed last. */
const parsed: Map<string, AddressList> = new Map();
const MOST_PARSED = 1_000;

/**
 * Returns whether an address is in a list; see {@link addressList}. Lists are parsed once for many requests, so that a long
 * one does not show in the time of a refusal.
 */
export function isListed(address: string, texts: readonly string[]): boolean {
  const text = texts.join();
  const known = parsed.get(text);
  if (known !== undefined) return known(address);
  const list = addressList(texts);
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(text, list);
  return list(address);
}

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
