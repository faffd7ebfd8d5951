import type { Holdings } from "../../../service/index.ts";
import type { Traffic } from "../../../service/internal.ts";
import type { Batch } from "./batch.ts";
import type { MessageOf, ToFront, Verdict } from "./messages.ts";

/** Open connections of all threads of a server, and their limit. */
export type ConnectionCount = { open: number; readonly most: number };

type Parts = Readonly<{ traffic: Traffic; connections: ConnectionCount; batch: Batch<ToFront> }>;

/** Counts what a front thread's connections hold, together with those of all other threads. */
export class FrontGate {
  readonly #parts: Parts;
  readonly #entered: Map<number, () => void> = new Map();
  readonly #guests: Map<number, Holdings> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  open([, id, network]: MessageOf<"open">): void {
    const { traffic, connections, batch } = this.#parts;
    if (connections.open >= connections.most) return batch.add(["verdict", id, "full"]);
    const leave = network === undefined ? () => undefined : traffic.enter(network);
    if (leave === undefined) return batch.add(["verdict", id, "out"]);
    connections.open++;
    this.#in(id, () => {
      connections.open--;
      leave();
    });
  }

  enter([, id, network]: MessageOf<"enter">): void {
    const leave = this.#parts.traffic.enter(network);
    if (leave === undefined) this.#parts.batch.add(["verdict", id, "out"]);
    else this.#in(id, leave);
  }

  leave([, id]: MessageOf<"leave">): void {
    this.#entered.get(id)?.();
    this.#entered.delete(id);
  }

  hold([, id, unread, unsent, network]: MessageOf<"hold">): void {
    const guest = this.#guests.get(id) ?? (network === undefined ? undefined : this.#guest(id, network));
    guest?.hold("unread", unread);
    guest?.hold("unsent", unsent);
  }

  end([, id]: MessageOf<"end">): void {
    this.#guests.get(id)?.end();
    this.#guests.delete(id);
  }

  /** Ends everything that belongs to the thread, because the thread has ended. */
  gone(): void {
    for (const holdings of this.#guests.values()) holdings.end();
    for (const leave of this.#entered.values()) leave();
    this.#guests.clear();
    this.#entered.clear();
  }

  #in(id: number, leave: () => void): void {
    this.#entered.set(id, leave);
    this.#parts.batch.add(["verdict", id, "in" satisfies Verdict]);
  }

  /**
   * Starts counting a guest. `unsentBytes` gives no bound here: the thread itself reports which unsent bytes have left.
   */
  #guest(id: number, network: string): Holdings {
    const holdings = this.#parts.traffic.guest(network, {
      unsentBytes: () => Number.POSITIVE_INFINITY,
      putOut: (_kind, scope) => {
        this.#guests.delete(id);
        this.#parts.batch.add(["put out", id, scope]);
      },
    });
    this.#guests.set(id, holdings);
    return holdings;
  }
}
