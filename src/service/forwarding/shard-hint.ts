import { shardOf } from "../../lifecycle/index.ts";
import type { Accounts } from "../../ports/index.ts";
import { restSignature } from "../../signing/internal.ts";
import type { Parameters, WireRequest } from "../../wire/index.ts";
import { requiredKey } from "../access/authentication.ts";
import { readHeaders, readParameters } from "../rest/authentication.ts";
import type { Destination } from "../rest/routing.ts";
import type { SocketOptions } from "../socket/api.ts";

const WHOLE = /^[0-9]{1,20}$/;

/**
 * Resolves to the shard that a request is probably about: that of the account that it names, or else of its key's
 * account; undefined without a known account. It is read without any check of the signature, so it only says where to ask:
 * the owner of that shard authenticates the request. Never rejects.
 */
export async function shardHint(
  { accounts }: Readonly<{ accounts: Accounts }>,
  request: WireRequest,
  destination: Destination | undefined,
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
