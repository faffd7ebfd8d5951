import type { ApiKey } from "../../../model/index.ts";
import type { Front } from "../../../service/index.ts";
import type { Worked } from "../../../service/internal.ts";
import type { FrontKeys } from "./front-keys.ts";
import type { WorkText } from "./messages.ts";
import { splitParameters } from "./texts.ts";

/** The results of a front thread for one request or message, in the form that the service takes. */
export class FrontCall implements Front {
  readonly worked: Worked | undefined;
  readonly #keys: FrontKeys;
  readonly #number: number;

  constructor(keys: FrontKeys, work: WorkText | undefined) {
    this.#keys = keys;
    this.#number = work?.[0] ?? -1;
    this.worked = work && workedOf(keys, work);
  }

  proved(key: ApiKey): void {
    this.#keys.teach(key);
  }

  outdated(): void {
    this.#keys.revoke(this.#number);
  }
}

/** Returns undefined if the secret has been withdrawn meanwhile. */
function workedOf(
  keys: FrontKeys,
  [number, signature, parameters, id, method]: WorkText,
): Worked | undefined {
  const taught = keys.taught(number);
  if (taught === undefined) return undefined;
  const worked = { ...taught, signature, parameters: splitParameters(parameters) };
  return id === undefined || method === undefined ? worked : { ...worked, envelope: { id, method } };
}
