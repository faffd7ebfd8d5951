import type { OrderError } from "../../../errors/index.ts";
import type { Arrived, HeldKind, Holdings, LimitScope, TrafficGuest } from "../../../service/index.ts";
import { Traffic } from "../../../service/internal.ts";
import type { Leave, TrafficGate } from "../connections.ts";
import type { Batch, FrontData, ToMain, Verdict } from "./messages.ts";

/** Interval in milliseconds at which data that waits for its peers is measured again. */
const AGAIN_MS = 20;

/** Measures things repeatedly while data of them waits: no event reports when that data leaves. */
export class Remeasure<T> {
  readonly #again: (things: readonly T[]) => void;
  readonly #things: Set<T> = new Set();
  #planned = false;

  constructor(again: (things: readonly T[]) => void) {
    this.#again = again;
  }

  add(thing: T): void {
    this.#things.add(thing);
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(() => {
      this.#planned = false;
      const things = [...this.#things];
      this.#things.clear();
      this.#again(things);
    }, AGAIN_MS).unref();
  }
}

/** The bytes that a guest holds, and how many of them were reported to the main thread. */
type Guest = {
  readonly id: number;
  readonly network: string;
  readonly unsentBytes: () => number;
  readonly evict: TrafficGuest["evict"];
  unread: number;
  unsent: number;
  reportedUnread: number;
  reportedUnsent: number;
  reported: boolean;
  ended: boolean;
};

type Parts = Readonly<{ batch: Batch<ToMain> }> & Pick<FrontData, "connectionsPerAddress" | "trustedProxies">;

/**
 * Represents in a front thread the traffic of the main thread. Changes are sent once per turn, so a request that comes
 * and goes within a turn sends none. The main thread counts the requests that are being answered.
 */
export class RemoteGate implements TrafficGate {
  readonly #batch: Batch<ToMain>;
  /** Finds the network of a request. It counts nothing. */
  readonly #addresses: Traffic;
  readonly #entering: Map<number, (verdict: Verdict) => void> = new Map();
  readonly #guests: Map<number, Guest> = new Map();
  readonly #changed: Set<Guest> = new Set();
  readonly #unsent: Remeasure<Guest> = new Remeasure((guests) => {
    for (const guest of guests) this.#change(guest);
  });
  #count = 0;
  /** Number of connections that this thread has accepted. */
  #arrivals = 0;

  constructor({ batch, connectionsPerAddress, trustedProxies }: Parts) {
    this.#batch = batch;
    this.#addresses = new Traffic({ connectionsPerAddress }, trustedProxies);
  }

  get tooMany(): OrderError {
    return this.#addresses.tooMany;
  }

  get arrivals(): number {
    return this.#arrivals;
  }

  /**
   * Returns false: only the main thread knows which networks have proved a key. Parsing here treats all networks alike.
   */
  isProved(): boolean {
    return false;
  }

  networkOf(arrived: Arrived): string {
    return this.#addresses.networkOf(arrived);
  }

  peerOf(remoteAddress: string): string | undefined {
    return this.#addresses.peerOf(remoteAddress);
  }

  async open(network: string | undefined): Promise<Leave | "full" | undefined> {
    this.#arrivals++;
    const id = ++this.#count;
    const verdict = await this.#verdictOn(id, ["open", id, network]);
    return verdict === "in" ? this.#leaveOf(id) : verdict === "full" ? "full" : undefined;
  }

  async enter(network: string): Promise<Leave | undefined> {
    const id = ++this.#count;
    const verdict = await this.#verdictOn(id, ["enter", id, network]);
    return verdict === "in" ? this.#leaveOf(id) : undefined;
  }

  guest(network: string, { unsentBytes, evict }: TrafficGuest): Holdings {
    const guest: Guest = {
      ...{ id: ++this.#count, network, unsentBytes, evict, reported: false, ended: false },
      ...{ unread: 0, unsent: 0, reportedUnread: 0, reportedUnsent: 0 },
    };
    return {
      hold: (kind, bytes) => this.#hold(guest, kind, bytes),
      end: () => {
        guest.ended = true;
        if (guest.reported) this.#change(guest);
        else this.#changed.delete(guest);
      },
    };
  }

  /** Takes the main thread's verdict on a connection. */
  verdict(id: number, verdict: Verdict): void {
    this.#entering.get(id)?.(verdict);
    this.#entering.delete(id);
  }

  /** Closes a guest that holds more than it may. */
  evict(id: number, scope: LimitScope): void {
    const guest = this.#guests.get(id);
    if (guest === undefined || guest.ended) return;
    guest.ended = true;
    this.#change(guest);
    guest.evict(guest.unsent > 0 ? "unsent" : "unread", scope);
  }

  /** Adds the changes since the last list to the next one. */
  report(): void {
    for (const guest of this.#changed) {
      if (guest.ended) this.#reportEnd(guest);
      else this.#reportChange(guest);
    }
    this.#changed.clear();
  }

  #hold(guest: Guest, kind: HeldKind, bytes: number): boolean {
    if (kind === "unanswered" || bytes === 0 || guest.ended) return !guest.ended;
    guest[kind] = Math.max(0, guest[kind] + bytes);
    this.#change(guest);
    return true;
  }

  #change(guest: Guest): void {
    this.#changed.add(guest);
    this.#batch.plan();
  }

  #reportEnd({ id, reported }: Guest): void {
    if (!reported) return;
    this.#guests.delete(id);
    this.#batch.add(["end", id]);
  }

  #reportChange(guest: Guest): void {
    const { id, network, unread } = guest;
    const unsent = Math.min(guest.unsent, guest.unsentBytes());
    if (unsent > 0) this.#unsent.add(guest);
    const more = [unread - guest.reportedUnread, unsent - guest.reportedUnsent] as const;
    if (more[0] === 0 && more[1] === 0) return;
    [guest.reportedUnread, guest.reportedUnsent] = [unread, unsent];
    this.#batch.add(guest.reported ? ["hold", id, ...more] : ["hold", id, ...more, network]);
    guest.reported = true;
    this.#guests.set(id, guest);
  }

  #verdictOn(id: number, message: ToMain): Promise<Verdict> {
    return new Promise((resolve) => {
      this.#entering.set(id, resolve);
      this.#batch.add(message);
    });
  }

  #leaveOf(id: number): Leave {
    let left = false;
    return () => {
      if (!left) this.#batch.add(["leave", id]);
      left = true;
    };
  }
}
