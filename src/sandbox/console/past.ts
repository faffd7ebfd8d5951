import { plotNumber } from "./plot-number.ts";

/** The price of trades at a time. */
export type Trade = Readonly<{ timeMs: number; price: number }>;

/** Minutes whose last price is read, and trades, which show the newest minutes more exactly. */
const MINUTES = 61;
const TRADES = 1_000;
const READ_MS = 10_000;

type Fetch = (url: string, init: RequestInit) => Promise<Pick<Response, "ok" | "json">>;

/**
 * Reads the prices of the last hour from what existing clients read, because the page has seen none of it. Without a
 * trade, as in a market that is moved by hand, there is none.
 */
export async function readPast(
  baseUrl: string,
  symbol: string,
  send: Fetch = (...call) => fetch(...call),
): Promise<readonly Trade[]> {
  const rows = async (path: string): Promise<readonly unknown[]> => {
    const url = `${baseUrl}/compat/api/v3/${path}&symbol=${encodeURIComponent(symbol)}`;
    const reply = await send(url, { signal: AbortSignal.timeout(READ_MS) });
    const read: unknown = reply.ok ? await reply.json() : [];
    return Array.isArray(read) ? read : [];
  };
  const [klines, trades] = await Promise.all([
    rows(`klines?interval=1m&limit=${MINUTES}`),
    rows(`trades?limit=${TRADES}`),
  ]);
  const exact = trades.map((trade) => tradeOf(at(trade, "time"), at(trade, "price")));
  const before = exact[0]?.timeMs ?? Number.POSITIVE_INFINITY;
  const minutes = klines.map((kline) => tradeOf(at(kline, 6), at(kline, 4)));
  const all = [...minutes.filter(({ timeMs }) => timeMs < before), ...exact];
  return all.filter(({ timeMs, price }) => Number.isFinite(timeMs + price));
}

/** Returns a member as text; one that is missing becomes no number. */
const at = (row: unknown, name: string | number): string => String(Reflect.get(Object(row), name));

const tradeOf = (time: string, price: string): Trade => ({
  timeMs: plotNumber(time),
  price: plotNumber(price),
});
