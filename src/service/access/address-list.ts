import { ADDRESS_BITS, parseAddress, V4_BITS } from "../../common/index.ts";

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
export function addressList(texts: readonly string[]): AddressList {
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
