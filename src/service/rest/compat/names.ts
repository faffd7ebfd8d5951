import { type Instrument, type ParentType, TRAITS } from "../../../model/index.ts";
import type { Clock, Instruments } from "../../../ports/index.ts";
import { COMPAT_TRAILING, conflict } from "../../../requests/index.ts";
import type { Parameters, Scalar } from "../../../wire/index.ts";

/**
 * Returns the parameters of a placement with the service's own type. Only a stop or take-profit with trailingDelta has
 * another type here: it is a trailing stop. Its stopPrice is the gate of a take-profit in the convention, and the same gate
 * here. A stop-loss has the opposite gate in the convention, which no type here has: with a stopPrice it is refused
 * (-1128). Source: convention 1.2 a.
 */
export function withOwnType(parameters: Parameters): Parameters {
  const sent = parameters.get("type")?.text ?? "";
  const trailing = parameters.has("trailingDelta") ? COMPAT_TRAILING.get(sent) : undefined;
  if (trailing === undefined) return parameters;
  if (sent.startsWith("STOP_LOSS") && parameters.has("stopPrice")) {
    throw conflict(
      ["stopPrice", "trailingDelta"],
      "Omit stopPrice: a stop-loss trails from its acceptance on. With stopPrice, send TAKE_PROFIT or TAKE_PROFIT_LIMIT.",
    );
  }
  const type: Scalar = { text: trailing, kind: "text" };
  return new Map([...parameters, ["type", type]]);
}

/** An order as far as its type in the convention depends on it. */
type TypedOrder = Readonly<{ type: string; stopPrice?: unknown }>;

/** Names of canonical types in the convention. The other types have their own name, or trail. */
const NAMES: Readonly<Partial<Record<string, string>>> = {
  SYNTHETIC_LIMIT: "LIMIT",
  ICEBERG: "LIMIT",
  STOP_MARKET: "STOP_LOSS",
  TAKE_PROFIT_MARKET: "TAKE_PROFIT",
} satisfies Partial<Record<ParentType, string>>;

/**
 * Returns the name that the convention has for the type of an order. A trailing stop is a take-profit if it has a gate,
 * else a stop-loss, as {@link withOwnType} reads them. A schedule has no name in the convention and keeps its own.
 */
export function typeForClient({ type, stopPrice }: TypedOrder): string {
  const { trigger, limit } = TRAITS[type as ParentType] ?? {};
  if (trigger !== "trailing") return NAMES[type] ?? type;
  const kind = stopPrice === undefined ? "STOP_LOSS" : "TAKE_PROFIT";
  return limit === "none" ? kind : `${kind}_LIMIT`;
}

const NATIVE: ReadonlySet<string> = new Set(["LIMIT", "MARKET"]);

/**
 * Returns the types of a market in the convention's names, each once. Schedules are left out, and aliases, whose types
 * are listed too.
 */
export function typesForClient(types: readonly string[]): readonly string[] {
  const named = types.filter((type) => {
    const traits = TRAITS[type as ParentType];
    return traits === undefined ? NATIVE.has(type) : traits.schedule === undefined;
  });
  return [...new Set(named.map((type) => typeForClient({ type })))];
}

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
