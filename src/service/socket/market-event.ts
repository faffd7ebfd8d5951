import { writeJson } from "../../wire/index.ts";

/** An event of a public stream. Each of its two forms is written once, for all readers. */
export class MarketEvent {
  /** The event as it is. */
  readonly text: string;
  readonly #stream: Readonly<{ name: string }>;
  #named: string | undefined;

  constructor(stream: Readonly<{ name: string }>, text: string) {
    this.#stream = stream;
    this.text = text;
  }

  /** The event with the name of its stream, for combined connections. */
  get named(): string {
    this.#named ??= `{"stream":${writeJson(this.#stream.name)},"data":${this.text}}`;
    return this.#named;
  }
}
