import { ADDRESS_BITS, parseAddress, V4_BITS } from "./ip-address.ts";

const PREFIX_LENGTH = /^(0|[1-9][0-9]{0,2})$/;

/** The addresses that begin with the same bits as `start`; `rest` is how many bits follow those. */
type Block = Readonly<{ start: bigint; rest: bigint }>;

function parseBlock(text: string): Block | undefined {
  const [base = "", length, ...more] = text.split("/");
  const start = parseAddress(base);
  const bits = base.includes(":") ? ADDRESS_BITS : V4_BITS;
  const prefix = length === undefined ? bits : PREFIX_LENGTH.test(length) ? BigInt(length) : undefined;
  if (start === undefined || prefix === undefined || prefix > bits || more.length > 0) return undefined;
  return { start, rest: bits - prefix };
}

/** Whether text is a CIDR block, or an address, which is a block of one. */
export function isBlock(text: string): boolean {
  return parseBlock(text) !== undefined;
}

function isInBlock(address: bigint, text: string): boolean {
  const block = parseBlock(text);
  return block !== undefined && address >> block.rest === block.start >> block.rest;
}

/**
 * Whether an address lies in one of the CIDR blocks (a bare address is a block of one). An empty list holds every
 * address; an entry that is no block holds none. IPv4 and its IPv4-mapped IPv6 form are the same address.
 * Source: contract, Version 2 GET queries 4.
 */
export function isListed(address: string, blocks: readonly string[]): boolean {
  if (blocks.length === 0) return true;
  const value = parseAddress(address);
  return value !== undefined && blocks.some((block) => isInBlock(value, block));
}
