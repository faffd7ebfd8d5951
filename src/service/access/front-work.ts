import { OrderError } from "../../errors/index.ts";
import type { ApiKey } from "../../model/index.ts";
import type { Parameters, RequestId } from "../../wire/index.ts";
import { hasAccess, type KeyUse } from "./authentication.ts";
import type { AccessParts } from "./parts.ts";

/** The results of a front thread for a signed request or message in which nothing was unusual. */
export interface Worked {
  readonly apiKey: string;
  /** 64 lower-case hex digits. */
  readonly signature: string;
  /** The parameters as the service's readers return them. */
  readonly parameters: Parameters;
  /** The secret that made the signature. The results are valid while the host confirms that it is the key's secret. */
  readonly secret: string;
  /** Of a WebSocket message: its request id and its method. */
  readonly envelope?: Readonly<{ id: RequestId; method: string }>;
}

/** The front thread that a request or message came through. Source: decision HS. */
export interface Front {
  /** The results of the front thread, or undefined if it has none. */
  readonly worked: Worked | undefined;
  /**
   * Reports that the main thread verified a signature of this key. The front thread may verify its signatures from now
   * on.
   */
  proved(key: ApiKey): void;
  /** Reports that the secret known to the front thread is no longer the key's. */
  outdated(): void;
}

/**
 * Returns the current key of a request whose signature a front thread verified. Returns undefined if it verified none, or if
 * the key is gone or has another secret; the results of the front thread are void then. Throws an OrderError -2015 if the
 * key lacks the address or the permission.
 */
export async function keyOfWorked(
  { accounts }: Pick<AccessParts, "accounts">,
  front: Front,
  use: KeyUse,
): Promise<ApiKey | undefined> {
  const { worked } = front;
  if (worked === undefined) return undefined;
  const key = await accounts.key(worked.apiKey);
  if (key?.secret !== worked.secret) {
    front.outdated();
    return undefined;
  }
  if (!hasAccess(key, use)) throw new OrderError("REJECTED_API_KEY");
  return key;
}
