import { recognisedAs } from "../../common/index.ts";
/** The kind of a {@link ClientError}: its class, for programs that cannot use `instanceof`. */
export type ClientErrorKind = "refused" | "protocol" | "transport" | "uncertain";

/**
 * Base class of every error that a client rejects with. Errors contain no key, secret, signature or request body, so
 * they can be logged completely.
 *
 * @example
 * ```ts
 * import { type Client, ClientError } from "managed-orders/client";
 * export async function isUp(client: Client): Promise<boolean> {
 *   try {
 *     return (await client.status()).system === "normal";
 *   } catch (error) {
 *     if (error instanceof ClientError) return false;
 *     throw error;
 *   }
 * }
 * ```
 */
export abstract class ClientError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("ClientError");
  abstract readonly kind: ClientErrorKind;
}
