import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { OrderError } from "../../src/errors/index.ts";
import { Questions } from "../../src/host-answers/index.ts";

const cause = new Error("secret words of a host");
const clock = createManualClock({ startMs: 0 });
const reported: unknown[] = [];
const questions = new Questions({
  clock,
  telemetry: { event: (_level, _name, fields) => void reported.push(fields) },
  timeoutMs: 5_000,
});
const same = (answer: unknown): unknown => answer;
const settled = (requested: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(requested)
    .catch((error: unknown) => error);

describe("a question to a host", () => {
  it("a synchronous answer is returned without a promise", () => {
    expect(questions.query("port", () => 7, same)).toBe(7);
    expect(questions.query("port", () => undefined, same)).toBeUndefined();
    expect(questions.query("port", () => null, same)).toBeNull();
  });

  it("waits for a promise of any implementation", async () => {
    expect(await questions.query("port", () => Promise.resolve(7), same)).toBe(7);
    expect(await questions.query("port", () => ofOwnMaking((resolve) => resolve(7)), same)).toBe(7);
  });

  it.each<readonly [what: string, question: () => unknown, problem: string]>([
    ["throws", () => throwing(), "Error"],
    ["rejects", () => Promise.reject(cause), "Error"],
    ["rejects with a promise of its own class", () => ofOwnMaking((_, reject) => reject(cause)), "Error"],
  ])(
    "a host that %s is a failure of the service, -1001, never a refusal, and its text is not shown",
    async (_what, question, problem) => {
      reported.length = 0;
      const failure = await settled(() => questions.query("port", question, same));
      expect(failure).toBeInstanceOf(OrderError);
      expect(failure).toMatchObject({ code: -1001, cause });
      expect(reported).toEqual([{ port: "port", problem }]);
    },
  );

  it("a host that never answers fails after the deadline, and its late answer is ignored", async () => {
    let answer: (value: number) => void = () => undefined;
    const requested = settled(() =>
      questions.query("port", () => new Promise((resolve) => (answer = resolve)), same),
    );
    await clock.advanceBy(4_999, async () => undefined);
    const early = await Promise.race([requested, Promise.resolve("waits")]);
    expect(early).toBe("waits");
    await clock.advanceBy(1, async () => undefined);
    answer(7);
    expect(await requested).toMatchObject({ code: -1001, cause: { message: "no answer within 5000 ms" } });
  });

  it("the deadline of a long answer restarts with each part from the host", async () => {
    let receive: () => void = () => undefined;
    const requested = settled(() =>
      questions.whileProgressing((received) => {
        receive = received;
        return new Promise(() => undefined);
      }),
    );
    const stands = (): Promise<unknown> => Promise.race([requested, Promise.resolve("waits")]);
    for (let part = 0; part < 4; part++) {
      await clock.advanceBy(4_000, async () => undefined);
      receive();
    }
    await clock.advanceBy(4_999, async () => undefined);
    expect(await stands()).toBe("waits");
    await clock.advanceBy(1, async () => undefined);
    expect(await requested).toMatchObject({ message: "no answer within 5000 ms" });
    expect(await questions.whileProgressing(() => Promise.resolve(7))).toBe(7);
    expect(await settled(() => questions.whileProgressing(() => throwing()))).toBe(cause);
  });

  it("an OrderError refuses a requested change; any other error makes its outcome unknown", async () => {
    const refusal = new OrderError("INSUFFICIENT_BALANCE");
    expect(await settled(() => questions.change("port", () => Promise.reject(refusal), same))).toBe(refusal);
    expect(await settled(() => questions.change("port", () => throwing(), same))).toMatchObject({
      code: -1006,
    });
    const silent = settled(() => questions.change("port", () => new Promise(() => undefined), same));
    await clock.advanceBy(5_000, async () => undefined);
    expect(await silent).toMatchObject({ code: -1006 });
  });

  it("a promise cannot be read where a synchronous answer is required", () => {
    const read = (answer: unknown): number => {
      if (typeof answer !== "number") throw new Error("no number");
      return answer;
    };
    expect(() => questions.now("port", () => Promise.resolve(7), read)).toThrow(OrderError);
  });
});

function throwing(): never {
  throw cause;
}

type Settle = (resolve: (value: number) => void, reject: (error: unknown) => void) => void;

/** The value that some libraries return in place of a promise. */
function ofOwnMaking(settle: Settle): Promise<number> {
  // biome-ignore lint/suspicious/noThenProperty: it is what makes it one
  return { then: settle } as unknown as Promise<number>;
}
