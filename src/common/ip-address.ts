const OCTET = /^(0|[1-9][0-9]{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/** Number of bits of an address. */
export const ADDRESS_BITS: bigint = 128n;
/** Number of bits of an IPv4 address. */
export const V4_BITS: bigint = 32n;
/** IPv4 addresses map into ::ffff:0:0/96, the form in which an IPv6 socket reports them. */
const V4_BASE = 0xffff_0000_0000n;

/**
 * Parses an address to a 128-bit number. Returns undefined for text that is not an address. A zone is removed. An IPv4
 * address and its IPv4-mapped IPv6 form give the same number.
 */
export function parseAddress(text: string): bigint | undefined {
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

/** Splits one half of an address into groups. An IPv4 address at its end becomes two groups. */
function groupsOf(half: string): readonly string[] {
  if (half === "") return [];
  const groups = half.split(":");
  const last = groups.at(-1) ?? "";
  const embedded = last.includes(".") ? parseV4(last) : undefined;
  if (embedded === undefined) return groups;
  return [...groups.slice(0, -1), (embedded >> 16n).toString(16), (embedded & 0xffffn).toString(16)];
}

/** The usual form of an IPv4-mapped address. It needs no arithmetic, and a server on `::` sees it in every request. */
const MAPPED_V4 =
  /^::ffff:((?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3})$/i;

const GROUP_BITS = 16n;
const NETWORK_BITS = 64n;

/**
 * Returns the network under which an address is counted and banned. An IPv4 address, also in its IPv4-mapped form, is
 * its own network. For an IPv6 address it is the first 64 bits, because a client with one address there has all of
 * them. A zone does not count. Text that is not an address is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!/[:%]/.test(address)) return address;
  const mapped = MAPPED_V4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const value = parseAddress(address);
  if (value === undefined) return address;
  if (value >> V4_BITS === V4_BASE >> V4_BITS)
    return textOf(value, { parts: 4n, bits: 8n, base: 10, mark: "." });
  const network = value >> NETWORK_BITS;
  return `${textOf(network, { parts: 4n, bits: GROUP_BITS, base: 16, mark: ":" })}::/${NETWORK_BITS}`;
}

type Notation = Readonly<{ parts: bigint; bits: bigint; base: number; mark: string }>;

/** Writes the lowest parts of a number, most significant first. */
function textOf(value: bigint, { parts, bits, base, mark }: Notation): string {
  const written: string[] = [];
  for (let part = parts - 1n; part >= 0n; part--) {
    written.push(((value >> (part * bits)) & ((1n << bits) - 1n)).toString(base));
  }
  return written.join(mark);
}
