import { startServer } from "../../campaigns/load/processes.ts";
import { type Measurement, measureLoad, numbersOf } from "../../campaigns/load/round.ts";
import { benchFolder } from "../bench-folder.ts";
import type { Line, Taken } from "../line.ts";

type Way = Readonly<{ name: string; protocol: "http" | "socket"; frontThreads: number; least: number }>;

/** Processor time of a server's threads; the work that front threads share is divided evenly. */
function takenOf({ answers, perSecond, ...us }: Measurement, frontThreads: number): Taken {
  const each = frontThreads === 0 ? 0 : us.frontsUs / frontThreads;
  return {
    operations: answers,
    seconds: answers / perSecond,
    mainUs: us.mainUs * answers,
    othersUs: (us.frontsUs + us.othersUs) * answers,
    busiestUs: Math.max(us.mainUs, each) * answers,
    heapBytes: Number.NaN,
  };
}

/** Measures signed durable placements on SQLite over a connection, against the minimal server. */
function requests({ name, protocol, frontThreads, least }: Way): Line {
  return {
    work: `signed durable placement over ${name}, SQLite`,
    unit: "placements",
    peer: "a minimal server written by hand: signature, JSON, one insert in a shared transaction",
    timedBy: "processor",
    target: `>= ${least} of the minimal server`,
    reached: (_perSecond, ratio) => ratio >= least,
    async open({ seconds }) {
      const folder = benchFolder();
      const minimal = await startServer("minimal", { path: folder.path("minimal.db") });
      let from = 0;
      const next = (): number => {
        from += numbersOf(seconds);
        return from;
      };
      return {
        async take(round) {
          // Each round has a new server: orders left by an earlier round would slow it down.
          const server = await startServer("service", { path: folder.path(`${round}.db`), frontThreads });
          const ours = await measureLoad({ protocol, from: next(), seconds, server });
          await server.close();
          const peer = await measureLoad({ protocol: "http", from: next(), seconds, server: minimal });
          return { ours: takenOf(ours, frontThreads), peer: takenOf(peer, 0) };
        },
        async close() {
          await minimal.close();
          folder.remove();
        },
      };
    },
  };
}

export const rest: Line = requests({ name: "REST", protocol: "http", frontThreads: 0, least: 0.5 });
export const restFronts: Line = requests({
  ...{ name: "REST, 2 front threads", protocol: "http", frontThreads: 2, least: 0.8 },
});
export const socket: Line = requests({ name: "WebSocket", protocol: "socket", frontThreads: 0, least: 0.6 });
export const socketFronts: Line = requests({
  ...{ name: "WebSocket, 2 front threads", protocol: "socket", frontThreads: 2, least: 0.8 },
});
