import type { WireRequest } from "../../wire/index.ts";

/** Weight of a document. A document is as long as the answer of exchangeInfo. Source: decision GF. */
export const DOCUMENT_WEIGHT = 20;

/** The public documents of a host, each made once. Source: decision AN. */
export class Documents {
  readonly #makers: ReadonlyMap<string, () => string>;
  readonly #made: Map<string, string> = new Map();

  constructor(makers: Readonly<Record<string, () => string>> = {}) {
    this.#makers = new Map(Object.entries(makers));
  }

  /** Returns whether a request asks for a document by its exact raw target. */
  has({ method, target }: WireRequest): boolean {
    return method === "GET" && this.#makers.has(target);
  }

  /** Returns the document at a target, or undefined if there is none. */
  text(target: string): string | undefined {
    const made = this.#made.get(target) ?? this.#makers.get(target)?.();
    if (made !== undefined) this.#made.set(target, made);
    return made;
  }
}
