import { hashOf, networkOf } from "../common/index.ts";
import { OrderError } from "../errors/index.ts";
import { shardOf } from "../lifecycle/index.ts";
import { SHARD_COUNT } from "../model/index.ts";
import type { Accounts, Clock, Telemetry } from "../ports/index.ts";
import type { SocketOptions, Traffic } from "../service/index.ts";
import {
  onlyReads,
  type RequestForwarder,
  type RoutedRequest,
  readHeaders,
  readParameters,
  requiredKey,
} from "../service/internal.ts";
import { restSignature } from "../signing/internal.ts";
import type { Parameters, WireRequest, WireResponse } from "../wire/index.ts";
import type {
  ForwardedRequest,
  PeerCall,
  PeerOutcome,
  PeerReceiver,
  PeerRefusal,
  PeerSender,
  ShardOwners,
} from "./peers/api.ts";
import { forwardedHeaders } from "./peers/protocol.ts";

/**
 * Dependencies of a {@link Forwarder}. `here` answers requests for this node itself, and `serves` says whether it has a
 * service to do so. `waitMs` bounds the wait for one answer of another node.
 */
export type ForwarderParts = Readonly<{
  owners: ShardOwners;
  accounts: Accounts;
  clock: Clock;
  telemetry: Telemetry;
  traffic: Pick<Traffic, "proved">;
  peers: PeerSender | undefined;
  here: PeerReceiver["receive"];
  serves: () => boolean;
  waitMs: number;
}>;

/** The owner of a shard. */
type Holder = NonNullable<ReturnType<ShardOwners["ownerOf"]>>;

/** The shard of a request if it was looked up, and its owner if there is one. */
type Whereabouts = Readonly<{ shard: number | undefined; owner: Holder | undefined }>;

/** The address of a client, and a function that resolves to the shard of its request if that is known. */
type Requester = Readonly<{ address: string; hint: () => Promise<number | undefined> }>;

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
export class Forwarder implements RequestForwarder {
  readonly #parts: ForwarderParts;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /**
   * Resolves to the shard that `hint` says and to its owner, if there is one. While one node owns all shards, the shard is
   * not looked up. What is about no known account is for this node itself if it serves, and otherwise for the owner of a
   * shard by the client's network, so that such requests spread over all nodes.
   */
  async ownerAt({ address, hint }: Requester): Promise<Whereabouts> {
    const { owners, serves } = this.#parts;
    const sole = owners.ownerOf();
    if (sole !== undefined) return { shard: undefined, owner: sole };
    const known = await hint();
    if (known === undefined && serves()) return { shard: undefined, owner: this.#self };
    const shard = known ?? hashOf(networkOf(address)) % SHARD_COUNT;
    return { shard, owner: await this.#ownerOf(shard) };
  }

  /** Resolves to the reply of the owner of a request's shard. Throws an OrderError as {@link pass}. */
  async forward(routed: RoutedRequest): Promise<WireResponse> {
    return await this.#forward(routed, await this.#whereabouts(routed));
  }

  /** Resolves to the reply of another node that owns a request's shard, and to undefined if this one is to answer. */
  async ahead(routed: RoutedRequest): Promise<WireResponse | undefined> {
    const where = await this.#whereabouts(routed);
    return where.owner?.isSelf === true ? undefined : await this.#forward(routed, where);
  }

  /**
   * Resolves to the reply of the owner of a shard that this node has read itself, or that has left this node before anything
   * was decided. This node was the first of the two that may be asked.
   */
  async elsewhere(routed: RoutedRequest, shard: number): Promise<WireResponse> {
    return await this.#forward(routed, { shard, owner: await this.#ownerOf(shard) }, true);
  }

  /** Every node that serves has the market, and numbers the quotes of its snapshots as those of its own streams. */
  async #whereabouts({ request, destination }: RoutedRequest): Promise<Whereabouts> {
    if (this.#parts.serves() && destination?.route.access === "PUBLIC")
      return { shard: undefined, owner: this.#self };
    const hint = (): Promise<number | undefined> => shardHint(this.#parts, request, destination);
    return await this.ownerAt({ address: request.remoteAddress, hint });
  }

  async #forward(
    { request, destination, verdict }: RoutedRequest,
    where: Whereabouts,
    isSecond = false,
  ): Promise<WireResponse> {
    const { method, target, body, remoteAddress } = request;
    return await this.pass({
      request: {
        ...{ form: "REST", method, target, body, remoteAddress, usedWeight: verdict.used },
        rawHeaders: forwardedHeaders(request.rawHeaders),
      },
      ...{ ...where, here: this.#parts.here, isSecond },
      onlyReads: onlyReads(request, destination?.route),
      isSigned: destination !== undefined && destination.route.access !== "PUBLIC",
    });
  }

  /**
   * Resolves to the reply of the owner. Goes on to one other node if the first one says that it is not the owner. Throws an
   * OrderError: -1001 if nothing was executed, and -1006 if what may write was handed over and no answer came. Such a
   * request is never sent a second time.
   */
  async pass(passage: Passage): Promise<WireResponse> {
    const { owner, shard, isSecond = false } = passage;
    const first = await this.#request(owner, passage);
    if (isSecond || first.kind !== "refused" || !MOVED.has(first.reason))
      return this.#replyOf(first, passage);
    const next = await this.#otherOwner(first.shard ?? shard, owner);
    if (next === undefined) throw this.#disconnected(first);
    return this.#replyOf(await this.#request(next, passage), passage);
  }

  get #self(): Holder {
    return { incarnation: this.#parts.owners.status().incarnation, address: "", isSelf: true };
  }

  /** Resolves to the owner of a shard; reads the owners if none is known, because a shard has none while it moves. */
  async #ownerOf(shard: number): Promise<Holder | undefined> {
    const { owners } = this.#parts;
    const known = owners.ownerOf(shard);
    if (known !== undefined) return known;
    await owners.readOwners();
    return owners.ownerOf(shard);
  }

  /** Resolves to the owner of a shard if it is another node than the one that was asked; reads the owners if need be. */
  async #otherOwner(shard: number | undefined, requested: Holder | undefined): Promise<Holder | undefined> {
    const { owners } = this.#parts;
    const other = (): Holder | undefined => {
      const owner = owners.ownerOf(shard);
      return owner?.incarnation === requested?.incarnation ? undefined : owner;
    };
    const known = other();
    if (known !== undefined) return known;
    await owners.readOwners();
    return other();
  }

  async #request(owner: Holder | undefined, { request, here, send }: Passage): Promise<PeerOutcome> {
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
    this.#report(outcome);
    throw new OrderError("UNEXPECTED_RESPONSE");
  }

  #disconnected(outcome: Exclude<PeerOutcome, { kind: "reply" }>): OrderError {
    this.#report(outcome);
    // The owner may have been replaced.
    void this.#parts.owners.readOwners();
    return new OrderError("DISCONNECTED");
  }

  #report({ kind, reason }: Exclude<PeerOutcome, { kind: "reply" }>): void {
    this.#parts.telemetry.event("warn", "peer.failed", { kind, reason });
  }
}

const WHOLE = /^[0-9]{1,20}$/;

/**
 * Resolves to the shard that a request is probably about: that of the account that it names, or else of its key's
 * account; undefined without a known account. It is read without any check of the signature, so it only says where to ask:
 * the owner of that shard authenticates the request. Never rejects.
 */
async function shardHint(
  { accounts }: Readonly<{ accounts: Accounts }>,
  request: WireRequest,
  destination: RoutedRequest["destination"],
): Promise<number | undefined> {
  return shardOfKnown(await accountHint(accounts, request, destination));
}

/**
 * Resolves to the shard that a message of a WebSocket connection is probably about, as {@link shardHint} does. `ofToken`
 * returns the account of a session token. Never rejects.
 */
export async function messageShard(
  { accounts, ofToken }: Readonly<{ accounts: Accounts; ofToken?: SocketOptions["requestToken"] }>,
  parameters: Parameters,
): Promise<number | undefined> {
  const text = (name: string): string | undefined => parameters.get(name)?.text;
  const token = text("requestToken");
  try {
    return shardOfKnown(
      wholeOf(text("account")) ??
        (token === undefined
          ? (await accounts.key(requiredKey(text("apiKey"))))?.accountId
          : await ofToken?.(token)),
    );
  } catch {
    // Whoever answers the message refuses it.
    return undefined;
  }
}

const shardOfKnown = (accountId: number | undefined): number | undefined =>
  accountId === undefined ? undefined : shardOf(accountId);

/** A request that cannot be read names no account; whoever answers it refuses it. */
async function accountHint(
  accounts: Accounts,
  request: WireRequest,
  destination: RoutedRequest["destination"],
): Promise<number | undefined> {
  if (destination === undefined || destination.route.access === "PUBLIC") return undefined;
  try {
    const headers = readHeaders(request.rawHeaders);
    const named = namedAccount(request, destination.query, headers);
    return named ?? (await accounts.key(requiredKey(headers.apiKey)))?.accountId;
  } catch {
    return undefined;
  }
}

function namedAccount(
  request: WireRequest,
  query: string,
  { signature, contentType }: ReturnType<typeof readHeaders>,
): number | undefined {
  const signed = restSignature({ query, body: request.body, header: signature });
  return wholeOf(readParameters(signed, contentType).get("account")?.text);
}

function wholeOf(text: string = ""): number | undefined {
  const accountId = WHOLE.test(text) ? Number.parseInt(text, 10) : undefined;
  return Number.isSafeInteger(accountId) ? accountId : undefined;
}
