import type { ApiKey } from "../../model/index.ts";
import type { Parameters, RequestId } from "../../wire/index.ts";
import type { AccessParts } from "./parts.ts";

/** What a front thread has worked out of the bytes of a signed request or message, where nothing of it was unusual. */
export type Worked = Readonly<{
  apiKey: string;
  /** 64 hex digits in lower case. */
  signature: string;
  /** As the readers of the service give them. */
  parameters: Parameters;
  /** The secret that the signature was made with. It counts while the host says that it is the key's. */
  secret: string;
  /** Of a WebSocket message: what it is answered to and what it asks for. */
  envelope?: Readonly<{ id: RequestId; method: string }>;
}>;

/** The front thread that a request or message came through. Source: decision HS. */
export type Front = Readonly<{
  /** What it has done of the service's work; undefined: nothing. */
  worked: Worked | undefined;
  /** A signature was verified here: the front thread may do so from now on. */
  proved(key: ApiKey): void;
  /** The secret that it knows is not the key's any more. */
  outdated(): void;
}>;

/**
 * The key of a request whose signature was verified in a front thread, as the host knows it now; undefined when its
 * secret is another by now or it is gone: then nothing that was worked out counts.
 */
export async function keyOfWorked(
  { accounts }: Pick<AccessParts, "accounts">,
  front: Front,
  { apiKey, secret }: Worked,
): Promise<ApiKey | undefined> {
  const key = await accounts.key(apiKey);
  if (key?.secret === secret) return key;
  front.outdated();
  return undefined;
}
