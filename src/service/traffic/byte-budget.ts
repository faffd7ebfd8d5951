import type { LimitScope } from "./api.ts";

/** One connection's part in a budget. */
export type Part = {
  readonly address: string;
  bytes: number;
  out: boolean;
  /** What it really is at most, asked when there is no room. */
  readonly atMost: () => number;
  readonly putOut: (scope: LimitScope) => void;
};

type Limits = Readonly<{ perConnection: number; perAddress: number; inAll: number }>;

type Group = { bytes: number; readonly parts: Set<Part> };

/** How much of a limit is made free at least when it was broken, so that not every byte after it breaks it again. */
const FREED = 1 / 8;

/**
 * A number of bytes that many share. A connection above its limit is put out; above the limit of an address the connection
 * that holds the most of it; above the limit of all the one that holds the most of the address that does. Who holds little
 * never pays for others. Source: decision GC.
 */
export class ByteBudget {
  readonly #limits: Limits;
  readonly #groups: Map<string, Group> = new Map();
  #bytes = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Changes what a part holds; false when it was put out by that. */
  hold(part: Part, bytes: number): boolean {
    this.#add(part, Math.max(bytes, -part.bytes));
    if (bytes <= 0) return true;
    const { perConnection, perAddress, inAll } = this.#limits;
    if (part.bytes > perConnection && this.#measured(part) > perConnection) this.#out(part, "connection");
    this.#shrink(perAddress, "address", () => this.#groups.get(part.address));
    if (this.#bytes > inAll) this.#shrinkAll();
    return !part.out;
  }

  /** Forgets a part. */
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
    part.putOut(scope);
  }
}

function largest<T extends { bytes: number }>(items: Iterable<T>): T {
  let found: T | undefined;
  for (const item of items) if (found === undefined || item.bytes > found.bytes) found = item;
  if (found === undefined) throw new RangeError("nothing is held");
  return found;
}
