import { hashOf } from "../../common/index.ts";
import { shardOf } from "../../lifecycle/index.ts";
import { SHARD_COUNT } from "../../model/index.ts";
import type { Accounts } from "../../ports/index.ts";
import { restSignature } from "../../signing/internal.ts";
import type { Parameters, WireRequest } from "../../wire/index.ts";
import { requiredKey } from "../access/authentication.ts";
import { networkOf } from "../access/ip-address.ts";
import { readParameters } from "../rest/authentication.ts";
import { readHeaders } from "../rest/headers.ts";
import type { Destination } from "../rest/routing.ts";
import type { SocketOptions } from "../socket/api.ts";

const WHOLE = /^[0-9]{1,20}$/;

/**
 * Resolves to the shard that a request is probably about: that of the account that it names, or else of its key's
 * account. It is read without any check of the signature, so it only says where to ask: the owner of that shard
 * authenticates the request. A request without a known account has the shard of a hash of its client's network, so that
 * such requests spread over all nodes. Never rejects.
 */
export async function shardHint(
  { accounts }: Readonly<{ accounts: Accounts }>,
  request: WireRequest,
  destination: Destination | undefined,
): Promise<number> {
  const accountId = await accountHint(accounts, request, destination);
  if (accountId !== undefined) return shardOf(accountId);
  return hashOf(networkOf(request.remoteAddress)) % SHARD_COUNT;
}

/** What a message of a WebSocket connection says about its account. */
export type MessageHint = Readonly<{ parameters: Parameters; address: string }>;

/**
 * Resolves to the shard that a message is probably about, as {@link shardHint} does. `ofToken` returns the account of a
 * session token. Never rejects.
 */
export async function messageShard(
  { accounts, ofToken }: Readonly<{ accounts: Accounts; ofToken?: SocketOptions["requestToken"] }>,
  { parameters, address }: MessageHint,
): Promise<number> {
  const text = (name: string): string | undefined => parameters.get(name)?.text;
  const token = text("requestToken");
  try {
    const accountId =
      wholeOf(text("account")) ??
      (token === undefined
        ? (await accounts.key(requiredKey(text("apiKey"))))?.accountId
        : await ofToken?.(token));
    if (accountId !== undefined) return shardOf(accountId);
  } catch {
    // Whoever answers the message refuses it.
  }
  return hashOf(networkOf(address)) % SHARD_COUNT;
}

/** A request that cannot be read names no account; whoever answers it refuses it. */
async function accountHint(
  accounts: Accounts,
  request: WireRequest,
  destination: Destination | undefined,
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
