import { errorMessage } from "../../common/index.ts";
import type { Instrument } from "../../model/index.ts";
import type { Instruments } from "../../ports/index.ts";
import { createMemoryInstruments } from "../memory/index.ts";
import type { RemoteParts } from "./remote-parts.ts";
import { VENUE_ROUTES } from "./routes.ts";
import { VenueHttpError } from "./venue-http-error.ts";

/** Dependencies of {@link RemoteInstruments}, and the milliseconds between two readings. */
export type InstrumentsParts = Pick<RemoteParts, "link" | "telemetry"> & Readonly<{ everyMs: number }>;

/**
 * The instruments of a server, read again every few seconds: they are listed, halted and withdrawn while an engine runs.
 * While the server cannot be read, or says what no catalogue can say, the last ones stay.
 */
export class RemoteInstruments implements Instruments {
  readonly #parts: InstrumentsParts;
  #last: Instruments;
  #cancel: () => void = () => undefined;
  #isClosed = false;
  /** Whether the last reading failed, which is told once. */
  #isUnread = false;

  private constructor(parts: InstrumentsParts, first: Instruments) {
    this.#parts = parts;
    this.#last = first;
    this.#later();
  }

  /** Reads the instruments for the first time. Rejects as {@link Link.call} does. */
  static async open(parts: InstrumentsParts): Promise<RemoteInstruments> {
    return new RemoteInstruments(parts, await read(parts));
  }

  all(): readonly Instrument[] {
    return this.#last.all();
  }

  find(symbol: string): Instrument | undefined {
    return this.#last.find(symbol);
  }

  resolve(symbolOrAlias: string): Instrument | undefined {
    return this.#last.resolve(symbolOrAlias);
  }

  /** Reads no more. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #later(): void {
    const { link, everyMs } = this.#parts;
    this.#cancel = link.clock.schedule(link.clock.monotonicMs() + everyMs, () => void this.#readAgain());
  }

  async #readAgain(): Promise<void> {
    try {
      this.#last = await read(this.#parts);
      this.#isUnread = false;
    } catch (error) {
      this.#report(error);
    }
    if (!this.#isClosed) this.#later();
  }

  #report(error: unknown): void {
    if (this.#isClosed || this.#isUnread) return;
    this.#isUnread = true;
    const message = errorMessage(error);
    this.#parts.telemetry?.event("warn", "venue-http.instruments-unread", { message });
  }
}

/** Reads the instruments. Rejects as {@link Link.call} does, also if one name is that of two instruments. */
async function read({ link }: InstrumentsParts): Promise<Instruments> {
  const listed = await link.call(VENUE_ROUTES.instruments, {});
  try {
    return createMemoryInstruments(listed);
  } catch (cause) {
    const { message } = cause as Error;
    throw new VenueHttpError("unreadable", `${VENUE_ROUTES.instruments.path}: ${message}`, { cause });
  }
}
