import { join } from "node:path";
import { type Cutter, createCutter } from "../../adapters/venue-http/cutter.ts";
import { freePort } from "../../support/free-port.ts";
import { type CommandProcess, startCommand } from "../../support/sandbox-process.ts";

const SECRET = "a secret of this cluster";

/** The paper venue as a process of its own, on one record and the same ports after every start, and a proxy before it. */
export class VenueNode {
  /** Between the nodes and the venue. */
  readonly cutter: Cutter;
  readonly controlUrl: string;
  readonly #environment: Readonly<Record<string, string>>;
  #process: CommandProcess | undefined;

  private constructor(cutter: Cutter, controlPort: number, environment: Readonly<Record<string, string>>) {
    this.cutter = cutter;
    this.controlUrl = `http://127.0.0.1:${controlPort}`;
    this.#environment = environment;
  }

  /** Starts a venue whose record is in a folder. */
  static async open(folder: string, market: string): Promise<VenueNode> {
    const [port, controlPort] = [await freePort(), await freePort()];
    const venue = new VenueNode(await createCutter(port), controlPort, {
      PORT: String(port),
      CONTROL_PORT: String(controlPort),
      VENUE_RECORD: join(folder, "venue.jsonl"),
      VENUE_SECRET: SECRET,
      MARKET: market,
    });
    await venue.start();
    return venue;
  }

  /** The settings of a sandbox that uses it through the proxy. */
  get settings(): Readonly<Record<string, string>> {
    return { VENUE: this.cutter.url, VENUE_SECRET: SECRET, VENUE_CONTROL: this.controlUrl };
  }

  /** Starts its process. Resolves when it is ready. */
  async start(): Promise<void> {
    this.#process = startCommand("venue", this.#environment);
    await this.#process.ready;
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  /** Stops its process where it is, or lets it go on. */
  pause(isPaused: boolean): void {
    this.#process?.process.kill(isPaused ? "SIGSTOP" : "SIGCONT");
  }

  async close(): Promise<void> {
    await this.kill();
    await this.cutter.close();
  }
}
