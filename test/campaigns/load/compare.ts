import { cpus } from "node:os";
import { join } from "node:path";
import { figure, medianOf, printTable } from "../../bench/measure.ts";
import { startServer } from "./processes.ts";
import { CONNECTIONS, type Measurement, measureLoad, numbersOf } from "./round.ts";

const ROUNDS = 3;

/** Front threads of the subjects that use them; 0: none. */
const FRONT_THREADS = Number(process.env["FRONT_THREADS"] ?? "0");

type Subject = "bare" | "minimal" | "REST" | "WebSocket" | "REST, fronts" | "WebSocket, fronts";

const isSocket = (subject: Subject): boolean => subject.startsWith("WebSocket");
const frontThreadsOf = (subject: Subject): number => (subject.endsWith("fronts") ? FRONT_THREADS : 0);

/** Alternates signed durable placements over REST and WebSocket with the bare and the minimal server; prints the medians and ratios. */
export async function compareLoads({
  folder,
  seconds,
}: Readonly<{ folder: string; seconds: number }>): Promise<void> {
  const fronts = FRONT_THREADS > 0 ? (["REST, fronts", "WebSocket, fronts"] as const) : [];
  const subjects: readonly Subject[] = ["bare", "minimal", "REST", "WebSocket", ...fronts];
  const figures = new Map<Subject, Measurement[]>(subjects.map((subject) => [subject, []]));
  const bare = await startServer("bare", { path: "" });
  let from = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    // Each round has a new service: orders left by an earlier round would make the two unequal.
    for (const subject of subjects) {
      const path = join(folder, `${subject}-${round}.db`);
      const server =
        subject === "bare"
          ? bare
          : await startServer(subject === "minimal" ? "minimal" : "service", {
              path,
              frontThreads: frontThreadsOf(subject),
            });
      const protocol = isSocket(subject) ? "socket" : "http";
      const result = await measureLoad({ protocol, from, seconds, server });
      from += numbersOf(seconds);
      if (round > 0) figures.get(subject)?.push(result);
      if (server !== bare) await server.close();
    }
  }
  await bare.close();
  print(figures);
}

function print(figures: ReadonlyMap<Subject, readonly Measurement[]>): void {
  const median = (subject: Subject, of: keyof Measurement): number =>
    medianOf((figures.get(subject) ?? []).map((one) => one[of]));
  const limit = median("minimal", "perSecond");
  const [bareUs, minimalUs] = [median("bare", "mainUs"), median("minimal", "mainUs")];
  const busiestUs = (subject: Subject): number =>
    Math.max(median(subject, "mainUs"), median(subject, "frontsUs") / Math.max(1, frontThreadsOf(subject)));
  printTable(
    `Signed durable placements on SQLite, ${CONNECTIONS} connections, one process, fronts: ${FRONT_THREADS} threads; Node ${process.version}, ${cpus().length} cores`,
    [
      [
        ...[
          "",
          "answers/s",
          "of minimal",
          "of minimal by CPU of the busiest thread",
          "of bare by CPU",
          "p50 ms",
          "p99 ms",
        ],
        ...["CPU us: engine thread", "a front thread", "other threads"],
      ],
      ...[...figures.keys()].map((subject) => [
        subject === "bare" ? "node:http, parses and echoes" : subject,
        figure(median(subject, "perSecond")),
        figure(median(subject, "perSecond") / limit),
        figure(minimalUs / busiestUs(subject)),
        figure(bareUs / busiestUs(subject)),
        figure(median(subject, "p50Us") / 1_000),
        figure(median(subject, "p99Us") / 1_000),
        figure(median(subject, "mainUs")),
        figure(median(subject, "frontsUs")),
        figure(median(subject, "othersUs")),
      ]),
    ],
  );
}
