import type { WireRequest } from "../../../wire/index.ts";
import type { MessageOf } from "./messages.ts";
import { splitHead } from "./texts.ts";

/** A request as a front thread sent it. Headers and body are decoded on access. */
export class FrontRequest implements WireRequest {
  readonly method: string;
  readonly target: string;
  readonly remoteAddress: string;
  readonly #head: string;
  readonly #body: string;

  constructor([, , method, target, head, ...rest]: MessageOf<"request"> | MessageOf<"admit">) {
    const [body, remoteAddress] = rest.length === 1 ? ["", rest[0]] : rest;
    this.method = method;
    this.target = target;
    this.remoteAddress = remoteAddress;
    this.#head = head;
    this.#body = body;
  }

  get rawHeaders(): readonly string[] {
    return splitHead(this.#head);
  }

  get body(): Uint8Array {
    return Buffer.from(this.#body, "latin1");
  }

  /** Its length as received. */
  get bytes(): number {
    return this.target.length + this.#head.length + this.#body.length;
  }
}
