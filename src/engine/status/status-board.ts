import { errorMessage } from "../../common/index.ts";
import type { Reconciler } from "../children/reconciler.ts";
import type { EngineStatus, StatusChange, StatusReason } from "../core/condition.ts";
import type { Core } from "../core/core.ts";
import type { EventStream } from "../core/event-stream.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";

/** Dependencies of {@link StatusBoard}. */
export type StatusParts = Readonly<{
  shards: Shards;
  market: MarketHub;
  reconciler: Reconciler;
  stream: EventStream;
}>;

/** Codes by which a store's error says that the disk is full. */
const FULL: ReadonlySet<unknown> = new Set(["SQLITE_FULL", "ENOSPC", "EDQUOT"]);

const LONGEST_DETAIL = 200;

/** Conditions of an engine that are not normal. Announces each when it begins and when it ends (decisions 48, EC). */
export class StatusBoard {
  readonly #core: Core;
  readonly #parts: StatusParts;
  readonly #fenced: number[] = [];
  #store: StatusReason | undefined;
  /** Prints that were not counted since the store began to fail. */
  #uncounted = 0;
  #ending: StatusReason | undefined;

  constructor(core: Core, parts: StatusParts) {
    this.#core = core;
    this.#parts = parts;
  }

  get status(): EngineStatus {
    const reasons = [...this.#own(), ...this.#watched()];
    if (this.#ending !== undefined) return { system: "draining", reasons };
    return { system: reasons.length > 0 ? "degraded" : "normal", reasons };
  }

  /** Whether the engine refuses new orders. */
  get isDraining(): boolean {
    return this.#ending !== undefined;
  }

  fenced(shard: number): void {
    this.#fenced.push(shard);
    this.#tell("SHARD_FENCED", `another engine owns shard ${shard}`);
  }

  /** Reports a store that fails or does not answer, once for as long as this lasts. */
  storeFailed(error: unknown): void {
    const kind = FULL.has((error as { code?: unknown } | null | undefined)?.code)
      ? "DISK_FULL"
      : "STORE_FAILING";
    if (this.#store?.kind === kind) return;
    const detail = errorMessage(error).slice(0, LONGEST_DETAIL);
    this.#store = { kind, detail };
    this.#tell(kind, detail);
  }

  /** Notes that the store kept an append. While a shard cannot be read, the store still counts as failing. */
  storeWorked(): void {
    if (this.#store !== undefined) {
      if (this.#parts.shards.all.some(({ state }) => state === "reloading")) return;
      this.#store = undefined;
      this.#tell("STORE_RECOVERED", "the store accepts writes again");
    }
    if (this.#uncounted === 0) return;
    const detail = `${this.#uncounted} executed trades were not counted`;
    this.#uncounted = 0;
    this.#tell("VOLUME_COUNTED", detail);
  }

  /** Notes that a print was not counted because the limit of prints waiting for the store is reached. */
  volumeDropped(): void {
    this.#uncounted++;
    if (this.#uncounted === 1)
      this.#tell(
        "VOLUME_NOT_COUNTED",
        "the maximum number of executed trades waits for the store; further trades are not counted",
      );
  }

  draining(): void {
    if (this.#ending !== undefined) return;
    this.#ending = { kind: "DRAINING", detail: "the engine accepts no new orders" };
    this.#tell("DRAINING", this.#ending.detail);
  }

  closed(detail: string): void {
    this.#ending = { kind: "CLOSED", detail };
    this.#tell("CLOSED", detail);
  }

  #own(): readonly StatusReason[] {
    const reasons: StatusReason[] = [];
    if (this.#ending !== undefined) reasons.push(this.#ending);
    if (this.#store !== undefined) reasons.push(this.#store);
    const [first] = this.#fenced;
    if (first !== undefined) {
      const more = this.#fenced.length > 1 ? ` and ${this.#fenced.length - 1} more` : "";
      reasons.push({ kind: "SHARD_FENCED", detail: `another engine owns shard ${first}${more}` });
    }
    if (this.#uncounted > 0)
      reasons.push({
        kind: "VOLUME_NOT_COUNTED",
        detail: `${this.#uncounted} executed trades are not counted`,
      });
    return reasons;
  }

  #watched(): readonly StatusReason[] {
    const { market, reconciler } = this.#parts;
    const [stopped, unknown] = [market.stopped, reconciler.unknown];
    const reasons: StatusReason[] = [];
    if (stopped.length > 0)
      reasons.push({ kind: "QUOTES_STOPPED", detail: `no fresh quote of ${stopped.join(", ")}` });
    if (unknown > 0)
      reasons.push({
        kind: "CHILD_UNKNOWN",
        detail: `number of children with an unknown outcome: ${unknown}`,
      });
    return reasons;
  }

  #tell(change: StatusChange, detail: string): void {
    this.#parts.stream.status({ change, detail, timeMs: this.#core.nowMs(), status: this.status });
  }
}
