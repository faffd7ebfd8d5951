const OCTET = /^(0|[1-9][0-9]{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const PREFIX_LENGTH = /^(0|[1-9][0-9]{0,2})$/;

const ADDRESS_BITS = 128n;
const V4_BITS = 32n;
/** IPv4 addresses lie in ::ffff:0:0/96, where an IPv6 socket shows them. */
const V4_BASE = 0xffffn << V4_BITS;

/** An address as a 128-bit number; undefined for text that is none. */
function parseAddress(text: string): bigint | undefined {
  const withoutZone = text.split("%", 1)[0] ?? "";
  if (!withoutZone.includes(":")) {
    const address = parseV4(withoutZone);
    return address === undefined ? undefined : V4_BASE | address;
  }
  return parseV6(withoutZone);
}

function parseV4(text: string): bigint | undefined {
  const octets = text.split(".");
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet))) return undefined;
  const values = octets.map(BigInt);
  if (values.some((value) => value > 255n)) return undefined;
  return values.reduce((address, value) => (address << 8n) | value, 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split("::");
  const [head = [], tail] = halves.map(groupsOf);
  if (halves.length > 2) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...(tail ?? [])];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return groups.reduce((address, group) => (address << 16n) | BigInt(`0x${group}`), 0n);
}

/** The groups of one half of an address, an IPv4 address at its end as two of them. */
function groupsOf(half: string): readonly string[] {
  if (half === "") return [];
  const groups = half.split(":");
  const last = groups.at(-1) ?? "";
  const embedded = last.includes(".") ? parseV4(last) : undefined;
  if (embedded === undefined) return groups;
  return [...groups.slice(0, -1), (embedded >> 16n).toString(16), (embedded & 0xffffn).toString(16)];
}

function isInBlock(address: bigint, block: string): boolean {
  const [base = "", length, ...more] = block.split("/");
  const start = parseAddress(base);
  const bits = base.includes(":") ? ADDRESS_BITS : V4_BITS;
  const prefix = length === undefined ? bits : PREFIX_LENGTH.test(length) ? BigInt(length) : undefined;
  if (start === undefined || prefix === undefined || prefix > bits || more.length > 0) return false;
  const rest = bits - prefix;
  return address >> rest === start >> rest;
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
