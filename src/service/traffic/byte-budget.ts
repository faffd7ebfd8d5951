import type { LimitScope } from "./api.ts";

/** One connection's share of a budget. */
export type Part = {
  readonly address: string;
  bytes: number;
  out: boolean;
  /** Returns an upper bound of the bytes it really holds. Called when a limit is exceeded. */
  readonly atMost: () => number;
  readonly evict: (scope: LimitScope) => void;
};

type Limits = Readonly<{ perConnection: number; perAddress: number; inAll: number }>;

type Group = { bytes: number; readonly parts: Set<Part> };

/** Minimum fraction of a limit to free once it is exceeded, so that the next byte does not exceed it again. */
const FREED = 1 / 8;

/**
 * A budget of bytes that many connections share. A connection above its own limit is closed. Above the limit of an address,
 * the connection that holds the most of that address is closed. Above the total limit, the address that holds the most
 * loses its largest connection. A connection that holds little never pays for others.
 */
export class ByteBudget {
  readonly #limits: Limits;
  readonly #groups: Map<string, Group> = new Map();
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Changes the bytes that a part holds. Returns false if this closed its connection. */
  hold(part: Part, bytes: number): boolean {
    this.#add(part, Math.max(bytes, -part.bytes));
    if (bytes <= 0) return true;
    const { perConnection, perAddress, inAll } = this.#limits;
    if (part.bytes > perConnection && this.#measured(part) > perConnection) this.#out(part, "connection");
    this.#shrink(perAddress, "address", () => this.#groups.get(part.address));
    if (this.#bytes > inAll) this.#shrinkAll();
    return !part.out;
  }

  /** Removes a part. */
  drop(part: Part): void {
    const group = this.#groups.get(part.address);
    if (group?.parts.delete(part) !== true) return;
    this.#bytes -= part.bytes;
    group.bytes -= part.bytes;
    part.bytes = 0;
    if (group.parts.size === 0) this.#groups.delete(part.address);
  }

  #add(part: Part, bytes: number): void {
    const group = this.#groups.get(part.address) ?? { bytes: 0, parts: new Set() };
    this.#groups.set(part.address, group);
    group.parts.add(part);
    part.bytes += bytes;
    group.bytes += bytes;
    this.#bytes += bytes;
    if (part.bytes === 0) this.drop(part);
  }

  #measured(part: Part): number {
    const gone = part.bytes - part.atMost();
    if (gone > 0) this.#add(part, -gone);
    return part.bytes;
  }

  #shrink(limit: number, scope: LimitScope, groupOf: () => Group | undefined): void {
    const before = groupOf();
    if (before === undefined || before.bytes <= limit) return;
    for (const part of [...before.parts]) this.#measured(part);
    if ((groupOf()?.bytes ?? 0) <= limit) return;
    for (let group = groupOf(); group !== undefined && group.bytes > limit * (1 - FREED); group = groupOf()) {
      this.#out(largest(group.parts), scope);
    }
  }

  #shrinkAll(): void {
    const { inAll } = this.#limits;
    for (const group of [...this.#groups.values()]) for (const part of [...group.parts]) this.#measured(part);
    if (this.#bytes <= inAll) return;
    while (this.#bytes > inAll * (1 - FREED)) this.#out(largest(largest(this.#groups.values()).parts), "all");
  }

  #out(part: Part, scope: LimitScope): void {
    this.drop(part);
    part.out = true;
    part.evict(scope);
  }
}

function largest<T extends { bytes: number }>(items: Iterable<T>): T {
  let found: T | undefined;
  for (const item of items) if (found === undefined || item.bytes > found.bytes) found = item;
  if (found === undefined) throw new RangeError("no part holds bytes");
  return found;
}
