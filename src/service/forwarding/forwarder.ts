import type { Standby } from "../../engine/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Accounts, Clock, Telemetry } from "../../ports/index.ts";
import type { WireResponse } from "../../wire/index.ts";
import { networkOf } from "../access/ip-address.ts";
import type { ProvedNetworks } from "../access/parts.ts";
import type { RoutedRequest } from "../rest/rest-service.ts";
import type {
  ForwardedRequest,
  PeerCall,
  PeerOutcome,
  PeerReceiver,
  PeerRefusal,
  PeerSender,
} from "./api.ts";
import { forwardedHeaders } from "./envelope.ts";
import { shardHint } from "./shard-hint.ts";

/** What a node knows of the owners of shards. */
export type Owners = Pick<Standby, "ownerOf" | "readOwners" | "status">;

/**
 * Dependencies of a {@link Forwarder}. `here` answers requests for this node itself. `waitMs` bounds the wait for one
 * answer of another node.
 */
export type ForwarderParts = Readonly<{
  owners: Owners;
  accounts: Accounts;
  clock: Clock;
  telemetry: Telemetry;
  traffic: ProvedNetworks;
  peers: PeerSender | undefined;
  here: PeerReceiver["receive"];
  waitMs: number;
}>;

/** The owner of a shard. */
export type Holder = NonNullable<ReturnType<Owners["ownerOf"]>>;

/** The shard of a request if it was looked up, and its owner if there is one. */
export type Whereabouts = Readonly<{ shard: number | undefined; owner: Holder | undefined }>;

/** What is passed on, where to, and how it is answered by this node itself if its shard is here. */
export type Passage = Readonly<{
  request: Omit<ForwardedRequest, "incarnation" | "expiresAtMs">;
  shard: number | undefined;
  owner: Holder | undefined;
  here: PeerReceiver["receive"];
  /** Replaces the sending to another node. */
  send?: (call: PeerCall) => Promise<PeerOutcome>;
  /** Whether it certainly changes nothing. */
  onlyReads: boolean;
  /** Whether only a verified signature gets status 200. */
  isSigned: boolean;
  /** Whether another node was asked before, so that this is the last one. */
  isSecond?: boolean;
}>;

/** Refusals of a node that does not own the shard: its owner may be another one by now. */
const MOVED: ReadonlySet<PeerRefusal> = new Set(["ELSEWHERE", "WRONG_NODE"]);

/** Passes requests for shards of other nodes on to their owners. */
export class Forwarder {
  readonly #parts: ForwarderParts;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to the owner of a request's shard, if there is one, and to the shard. While one node owns all shards, neither
   * the destination nor the shard is looked up.
   */
  async ownerOf(
    request: RoutedRequest["request"],
    destination: () => RoutedRequest["destination"],
  ): Promise<Whereabouts> {
    return await this.ownerAt(() => shardHint(this.#parts, request, destination()));
  }

  /** Resolves to the owner of the shard that `hint` says, which is not asked while one node owns all shards. */
  async ownerAt(hint: () => Promise<number>): Promise<Whereabouts> {
    const { owners } = this.#parts;
    const sole = owners.ownerOf();
    if (sole !== undefined) return { shard: undefined, owner: sole };
    const shard = await hint();
    return { shard, owner: owners.ownerOf(shard) };
  }

  /**
   * Resolves to the reply of the owner of a request's shard. `named` is the shard that this node has read itself. Throws an
   * OrderError as {@link pass}.
   */
  async forward(routed: RoutedRequest, named?: number): Promise<WireResponse> {
    const { request, destination, verdict } = routed;
    const { method, target, body, remoteAddress } = request;
    const { here } = this.#parts;
    const { shard, owner } =
      named === undefined
        ? await this.ownerOf(request, () => destination)
        : { shard: named, owner: this.#parts.owners.ownerOf(named) };
    return await this.pass({
      request: {
        ...{ form: "REST", method, target, body, remoteAddress, usedWeight: verdict.used },
        rawHeaders: forwardedHeaders(request.rawHeaders),
      },
      ...{ shard, owner, here },
      onlyReads: method === "GET",
      isSigned: destination !== undefined && destination.route.access !== "PUBLIC",
      // With a shard that was read here, this node was the first of the two that may be asked.
      isSecond: named !== undefined,
    });
  }

  /**
   * Resolves to the reply of the owner. Goes on to one other node if the first one says that it is not the owner. Throws an
   * OrderError: -1001 if nothing was executed, and -1006 if what may write was handed over and no answer came. Such a
   * request is never sent a second time.
   */
  async pass(passage: Passage): Promise<WireResponse> {
    const { owner, shard, isSecond = false } = passage;
    const first = await this.#ask(owner, passage);
    if (isSecond || first.kind !== "refused" || !MOVED.has(first.reason))
      return this.#replyOf(first, passage);
    const next = await this.#otherOwner(first.shard ?? shard, owner);
    if (next === undefined) throw this.#disconnected(first);
    return this.#replyOf(await this.#ask(next, passage), passage);
  }

  /** Resolves to the owner of a shard if it is another node than the one that was asked; reads the owners if need be. */
  async #otherOwner(shard: number | undefined, asked: Holder | undefined): Promise<Holder | undefined> {
    const { owners } = this.#parts;
    const other = (): Holder | undefined => {
      const owner = owners.ownerOf(shard);
      return owner?.incarnation === asked?.incarnation ? undefined : owner;
    };
    const known = other();
    if (known !== undefined) return known;
    await owners.readOwners();
    return other();
  }

  async #ask(owner: Holder | undefined, { request, here, send }: Passage): Promise<PeerOutcome> {
    const { clock, peers, waitMs } = this.#parts;
    if (owner === undefined) return { kind: "unsent", reason: "no live node owns the shard" };
    const { incarnation, address } = owner;
    const forwarded = { ...request, incarnation, expiresAtMs: clock.nowMs() + waitMs };
    if (owner.isSelf) return await here(forwarded);
    if (peers === undefined || address === "") return { kind: "unsent", reason: "the owner has no address" };
    const call = { address, waitMs, request: forwarded };
    return await (send === undefined ? peers.send(call) : send(call));
  }

  #replyOf(outcome: PeerOutcome, { request, onlyReads, isSigned }: Passage): WireResponse {
    if (outcome.kind === "reply") {
      const { response } = outcome;
      // Only a request whose signature was verified is answered with 200.
      if (isSigned && response.status === 200) this.#parts.traffic.proved(networkOf(request.remoteAddress));
      return response;
    }
    // A copy that came before was executed, and its answer went elsewhere.
    const isOpen = outcome.kind === "lost" || (outcome.kind === "refused" && outcome.reason === "REPLAYED");
    if (!isOpen || onlyReads) throw this.#disconnected(outcome);
    this.#tell(outcome);
    throw new OrderError("UNEXPECTED_RESPONSE");
  }

  #disconnected(outcome: Exclude<PeerOutcome, { kind: "reply" }>): OrderError {
    this.#tell(outcome);
    // The owner may have been replaced.
    void this.#parts.owners.readOwners();
    return new OrderError("DISCONNECTED");
  }

  #tell({ kind, reason }: Exclude<PeerOutcome, { kind: "reply" }>): void {
    this.#parts.telemetry.event("warn", "peer.failed", { kind, reason });
  }
}
