import { type AnyRoute, findMethod, findRoute } from "../../../src/requests/index.ts";
import type { Caller } from "./callers.ts";
import type { Happening } from "./happenings.ts";

/** The content, the signer and the answer of a request; without an answer, its outcome is open. */
export type Exchange = Readonly<{
  route: AnyRoute["name"] | undefined;
  signers: readonly Caller[];
  /** The body of a success; "refused" for any other answer, "lost" if there was none. */
  outcome: Readonly<{ success: string }> | "refused" | "lost";
}>;

/** The route that the first line of a request selects. */
export function routeOfBytes(bytes: Buffer): AnyRoute["name"] | undefined {
  const [method = "", target = ""] = bytes
    .subarray(0, 4_096)
    .toString("latin1")
    .split(/[ \r\n]/, 2);
  const route = findRoute(method, target.split("?", 1)[0] ?? "");
  return route === undefined || route === "wrong-method" ? undefined : route.name;
}

/** The route whose handler answers a message. */
export function routeOfMessage(text: string): AnyRoute["name"] | undefined {
  const method = findMethod(/"method":"([^"]*)"/.exec(text)?.[1] ?? "");
  return method !== undefined && "route" in method ? method.route.name : undefined;
}

const CANCELS = /cancel/;
const PLACES = /place/;
const PUBLIC: ReadonlySet<AnyRoute["name"] | undefined> = new Set<AnyRoute["name"]>([
  "ticker.price",
  "ticker.book",
  "avgPrice",
  ...([
    "status",
    "exchangeInfo",
    "instrumentPairs",
    "ticker",
    "ticker24hr",
    "depth",
    "ping",
    "time",
  ] as const),
]);

const idsIn = (answer: string): readonly string[] =>
  [...answer.matchAll(/"orderId":(-?[0-9]+)/g)].map(([, id]) => id ?? "");

/** Accounts whose callers were told that an order was created or canceled. */
class OrderSightings {
  readonly #accounts: Map<string, Set<number>> = new Map();

  add(orderId: string, callers: readonly Caller[]): void {
    const known = this.#accounts.get(orderId) ?? new Set();
    for (const { accountIds } of callers) for (const accountId of accountIds) known.add(accountId);
    this.#accounts.set(orderId, known);
  }

  has({ orderId, accountId }: Happening): boolean {
    return this.#accounts.get(orderId)?.has(accountId) ?? false;
  }
}

/** Changes of an account that a request may have made without reporting them. */
class Allowance {
  readonly #left: Map<number, number> = new Map();

  add(accountId: number, count: number): void {
    this.#left.set(accountId, (this.#left.get(accountId) ?? 0) + count);
  }

  take(accountId: number): boolean {
    const left = this.#left.get(accountId) ?? 0;
    if (left > 0) this.#left.set(accountId, left - 1);
    return left > 0;
  }
}

/** Most orders that one request creates or, without a cancel of everything, cancels. */
const MOST_LEGS = 12;
/** More than a run places for one account between two checks. */
const EVERYTHING = 100_000;

/**
 * The changes that the answers to validly signed requests allow: every acknowledged creation and cancel must exist, and
 * no other change.
 */
export class Ledger {
  readonly #created: OrderSightings = new OrderSightings();
  readonly #canceled: OrderSightings = new OrderSightings();
  readonly #unnamed: Readonly<Record<Happening["kind"], Allowance>> = {
    created: new Allowance(),
    canceled: new Allowance(),
  };
  readonly #acknowledged: Set<string> = new Set();
  readonly #known: Set<string> = new Set();

  /** Records an exchange; returns the fault that it shows by itself. */
  add({ route, signers, outcome }: Exchange): readonly string[] {
    // Its refusals tell of a half that was done, too.
    if (route === "order.cancelReplace") return this.#allowReplacement(signers);
    if (route === undefined || PUBLIC.has(route) || outcome === "refused") return [];
    const writes = CANCELS.test(route) || PLACES.test(route);
    const able = signers.filter(({ permissions }) => permissions.includes(writes ? "TRADE" : "READ"));
    if (outcome === "lost") {
      if (writes) this.#allow(route, able);
      return [];
    }
    if (able.length === 0)
      return [`${route} was done without a permitted caller: signed by ${signers.length}`];
    const { success } = outcome;
    for (const id of writes ? idsIn(success) : []) {
      (PLACES.test(route) ? this.#created : this.#canceled).add(id, able);
      if (PLACES.test(route)) this.#acknowledged.add(id);
    }
    if (route === "openOrders.cancelAll") this.#allowMatched(able, success);
    return [];
  }

  #allowReplacement(signers: Exchange["signers"]): readonly string[] {
    const able = signers.filter(({ permissions }) => permissions.includes("TRADE"));
    for (const accountId of able.flatMap(({ accountIds }) => accountIds))
      for (const kind of ["created", "canceled"] as const) this.#unnamed[kind].add(accountId, 1);
    return [];
  }

  #allow(route: AnyRoute["name"], able: readonly Caller[]): void {
    const kind = PLACES.test(route) ? "created" : "canceled";
    const most = route === "openOrders.cancelAll" ? EVERYTHING : MOST_LEGS;
    for (const accountId of able.flatMap(({ accountIds }) => accountIds))
      this.#unnamed[kind].add(accountId, most);
  }

  #allowMatched(able: readonly Caller[], answer: string): void {
    const matched = Number(/"matchedCount":([0-9]+)/.exec(answer)?.[1] ?? 0);
    for (const accountId of able.flatMap(({ accountIds }) => accountIds)) {
      this.#unnamed.canceled.add(accountId, matched);
    }
  }

  /** Returns changes without permission, and acknowledged changes that did not take place. */
  check(happenings: readonly Happening[]): readonly string[] {
    const problems: string[] = [];
    for (const happening of happenings) {
      const { kind, accountId, orderId, clientOrderId } = happening;
      if (kind === "created") this.#known.add(orderId);
      const reported = (kind === "created" ? this.#created : this.#canceled).has(happening);
      if (reported || this.#unnamed[kind].take(accountId)) continue;
      problems.push(
        `${orderId} (${clientOrderId}) of account ${accountId} was ${kind}, and no signed request did it`,
      );
    }
    for (const id of this.#acknowledged) {
      if (!this.#known.has(id)) problems.push(`${id} was acknowledged, and nothing was created`);
    }
    this.#acknowledged.clear();
    return problems;
  }

  /** Orders created so far. */
  get created(): number {
    return this.#known.size;
  }
}
