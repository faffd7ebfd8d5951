import type { Instrument } from "../../../model/index.ts";
import type { Clock, Instruments } from "../../../ports/index.ts";

/** A catalogue with the names of its instruments for clients. */
type Named = Readonly<{ instruments: Instruments; clientSymbols: ClientSymbols }>;

/**
 * Returns the name of an instrument for clients whose symbols are letters and digits: base and quote asset joined. The
 * canonical symbol stays if a client that sends that name means another instrument.
 */
export function compatSymbol({ instruments, clientSymbols }: Named, instrument: Instrument): string {
  const joined = joinedName(instrument);
  const named = instruments.resolve(joined)?.symbol ?? clientSymbols.joined(joined);
  return named === undefined || named === instrument.symbol ? joined : instrument.symbol;
}

/** How long the joined names of a catalogue are used, in milliseconds. */
const NAMES_MS = 1_000;

/**
 * The symbols of clients whose names are letters and digits. Joined names are made of the whole catalogue, of which every
 * answer is checked, at most once a second: a stranger could otherwise ask for names that do not exist, each at the price of
 * thousands of answers. The joined name of a new instrument is therefore known after a second. After a failure the last
 * names stay for a second, and another name is refused with the failure.
 */
export class ClientSymbols {
  readonly #instruments: Instruments;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #joined: ReadonlyMap<string, string> = new Map();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #failure: Readonly<{ error: unknown }> | undefined;

  constructor(instruments: Instruments, clock: Pick<Clock, "monotonicMs">) {
    this.#instruments = instruments;
    this.#clock = clock;
  }

  /** Returns the canonical symbol of a name that a client sent, and a name of no instrument as it is. */
  canonical(sent: string): string {
    const known = this.#instruments.resolve(sent);
    if (known !== undefined) return known.symbol;
    const symbol = this.joined(sent);
    if (symbol === undefined && this.#failure !== undefined) throw this.#failure.error;
    const instrument = symbol === undefined ? undefined : this.#instruments.find(symbol);
    return instrument !== undefined && joinedName(instrument) === sent ? instrument.symbol : sent;
  }

  /** Returns the canonical symbol of a joined name; of several, that of the first instrument in the catalogue. */
  joined(name: string): string | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readAtMs >= NAMES_MS) {
      this.#readAtMs = nowMs;
      this.#read();
    }
    return this.#joined.get(name);
  }

  #read(): void {
    try {
      this.#joined = joinedNames(this.#instruments);
      this.#failure = undefined;
    } catch (error) {
      this.#failure = { error };
    }
  }
}

const joinedName = ({ baseAsset, quoteAsset }: Instrument): string => `${baseAsset}${quoteAsset}`;

/** Returns the canonical symbols by base and quote asset joined. The first instrument keeps a name of several. */
function joinedNames(instruments: Instruments): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const instrument of instruments.all()) {
    const joined = joinedName(instrument);
    if (!names.has(joined)) names.set(joined, instrument.symbol);
  }
  return names;
}

/** Returns the name that a client knows a canonical symbol by. */
export function symbolForClient(named: Named, symbol: string): string {
  const instrument = named.instruments.find(symbol);
  return instrument === undefined ? symbol : compatSymbol(named, instrument);
}

/**
 * Returns a catalogue for one reply. It asks the host once per name, however many rows have it, because every answer of
 * the host is checked.
 */
export function cachedInstruments(instruments: Instruments): Instruments {
  return {
    all: () => instruments.all(),
    find: remembering((symbol) => instruments.find(symbol)),
    resolve: remembering((name) => instruments.resolve(name)),
  };
}

type Look = (name: string) => Instrument | undefined;

function remembering(look: Look): Look {
  const found = new Map<string, Instrument | undefined>();
  return (name) => {
    if (!found.has(name)) found.set(name, look(name));
    return found.get(name);
  };
}
