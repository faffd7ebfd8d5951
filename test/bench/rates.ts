import { createSystemClock } from "../../src/adapters/node/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { createWorld } from "../support/world.ts";
import { figure, printTable } from "./measure.ts";

const RATES = [10, 100, 500, 900, 1_500];
const SECONDS = 3;

/** Returns the hand-over times of the children of one quote that all wait for the rate, on the machine's clock. */
async function sendTimes(rate: number): Promise<readonly number[]> {
  const venue = createScriptedVenue({ ratePerSecond: rate });
  const clock = createSystemClock();
  const world = await createWorld({ venue, clock: () => clock });
  const times: number[] = [];
  const { onSubmit } = venue;
  const orders = Math.ceil(rate * (SECONDS + 1));
  for (let n = 0; n < orders; n++) await world.place({ type: "STOP_MARKET", stopPrice: "100" });
  venue.onSubmit = (child) => {
    times.push(clock.monotonicMs());
    return onSubmit(child);
  };
  world.engine.market.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
  const heartbeat = setInterval(() => world.engine.market.heartbeat("BTC/USD"), 500);
  await new Promise((resolve) => setTimeout(resolve, (SECONDS + 0.5) * 1_000));
  clearInterval(heartbeat);
  await world.engine.close();
  return times;
}

/** Returns the highest count within any second, wherever it begins. */
function mostInASecond(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [index, ms] of times.entries()) {
    while ((times[first] ?? ms) <= ms - 1_000) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Compares the rates that a venue declares with those that its children reach. */
export async function benchRates(): Promise<void> {
  const rows: string[][] = [["declared, children/s", "reached", "share", "most in any second"]];
  for (const rate of RATES) {
    const times = await sendTimes(rate);
    const [first = 0] = times;
    const within = times.filter((ms) => ms < first + SECONDS * 1_000);
    const reached = within.length / SECONDS;
    rows.push([figure(rate), figure(reached), figure(reached / rate), figure(mostInASecond(times))]);
  }
  printTable(`Venue rates on the clock of the machine, over ${SECONDS} s`, rows);
}
