import { INSTRUMENT_KINDS, INSTRUMENT_STATUSES, type Instrument } from "../model/index.ts";
import type { Instruments } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { itemsOf, membersOf, requireThat, textOf, wholeOf, wordOf } from "./reading.ts";

const MOST = 100_000;

/** Wraps the instruments of a host with checks of every answer. */
export function checkedInstruments(instruments: Instruments, questions: Questions): Instruments {
  return {
    all: () =>
      questions.now(
        "instruments.all",
        () => instruments.all(),
        (answer) => itemsOf(answer, "the list of instruments", MOST).map(readInstrument),
      ),
    find: (symbol) =>
      questions.now(
        "instruments.find",
        () => instruments.find(symbol),
        (answer) => {
          const found = answer === undefined ? undefined : readInstrument(answer);
          requireThat(
            found === undefined || found.symbol === symbol,
            "the instrument has another symbol than requested",
          );
          return found;
        },
      ),
    resolve: (name) =>
      questions.now(
        "instruments.resolve",
        () => instruments.resolve(name),
        (answer) => (answer === undefined ? undefined : readInstrument(answer)),
      ),
  };
}

const NAME = { most: 64 };
const ANY_TEXT = { from: 0 };

const aliasOf = (answer: unknown): string => textOf(answer, "an alias", NAME);

/** Reads an instrument. This runs for every placement, because a host may change an instrument in place. */
function readInstrument(answer: unknown): Instrument {
  const { id, symbol, aliases, baseAsset, quoteAsset, name, kind, status, address, url } = membersOf(
    answer,
    "the instrument",
  );
  return {
    id: wholeOf(id, "id"),
    symbol: textOf(symbol, "symbol", NAME),
    aliases: itemsOf(aliases, "aliases", MOST).map(aliasOf),
    baseAsset: textOf(baseAsset, "baseAsset", NAME),
    quoteAsset: textOf(quoteAsset, "quoteAsset", NAME),
    name: textOf(name, "name", ANY_TEXT),
    kind: wordOf(kind, "kind", INSTRUMENT_KINDS),
    status: wordOf(status, "status", INSTRUMENT_STATUSES),
    ...(address !== undefined && { address: textOf(address, "address", { most: 1_024 }) }),
    ...(url !== undefined && { url: textOf(url, "url", { most: 4_096 }) }),
  };
}
