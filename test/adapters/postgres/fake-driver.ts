import type {
  Driver,
  Notice,
  PgClient,
  PgClientOptions,
  Row,
} from "../../../src/adapters/postgres/connection.ts";

/** An answer of the fake server to a statement: rows, an error, or nothing until `release` is called. */
export type Answer = readonly Row[] | Error | "silence";

/** A server of one test: it answers statements by a function, and notes what it was asked. */
export class FakeServer {
  /** Statements in the order in which they came. */
  readonly statements: string[] = [];
  /** Names of the statements, undefined without one. */
  readonly names: (string | undefined)[] = [];
  /** Options of each connection. */
  readonly connections: PgClientOptions[] = [];
  /** Whether a client that says goodbye hears nothing, as on a network that was cut. */
  isGone = false;
  /** Number of connections that were cut by the client. */
  destroyed = 0;
  open = 0;
  mostOpen = 0;
  #answer: (text: string, values: readonly unknown[]) => Answer = () => [];
  readonly #waiting: ((answer: readonly Row[] | Error) => void)[] = [];
  #notice: Notice | undefined;

  /** Sets the answers. */
  answers(answer: (text: string, values: readonly unknown[]) => Answer): void {
    this.#answer = answer;
  }

  /** Sends a notice with the next answer. */
  notifies(notice: Notice): void {
    this.#notice = notice;
  }

  /** Answers the statements that wait. */
  release(answer: readonly Row[] | Error): void {
    for (const give of this.#waiting.splice(0)) give(answer);
  }

  readonly driver: Driver = (options) => {
    this.connections.push(options);
    return this.#client();
  };

  #client(): PgClient {
    const listeners = new Map<string, (value: never) => void>();
    let fail: (error: Error) => void = () => undefined;
    let isOpen = false;
    const gone = (): void => {
      if (isOpen) this.open--;
      isOpen = false;
    };
    type Given = Readonly<{ name?: string; text: string; values: readonly unknown[] }>;
    const query = async (given: string | Given) => {
      const { text, values, name } =
        typeof given === "string" ? { text: given, values: [], name: undefined } : given;
      this.names.push(name);
      this.statements.push(text);
      const answer = this.#answer(text, values);
      const rows =
        answer === "silence"
          ? await new Promise<readonly Row[] | Error>((resolve, reject) => {
              fail = reject;
              this.#waiting.push(resolve);
            })
          : answer;
      if (this.#notice !== undefined) listeners.get("notice")?.(this.#notice as never);
      this.#notice = undefined;
      if (rows instanceof Error) throw rows;
      return { rows };
    };
    return {
      connect: async () => {
        isOpen = true;
        this.mostOpen = Math.max(this.mostOpen, ++this.open);
      },
      query: query as PgClient["query"],
      on: (event: string, listener: (value: never) => void) => listeners.set(event, listener),
      end: async () => (this.isGone ? await new Promise<void>(() => undefined) : gone()),
      connection: {
        stream: {
          destroy: () => {
            this.destroyed++;
            gone();
            fail(new Error("Connection terminated unexpectedly"));
          },
        },
      },
    };
  }
}

/** Returns an error as the driver makes it of an answer of the server. */
export function serverError(code: string, rest: object = {}): Error {
  return Object.assign(new Error(`error ${code}`), { severity: "ERROR", code, ...rest });
}
