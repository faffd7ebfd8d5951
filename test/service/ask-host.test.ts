import { describe, expect, it } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import { askHost } from "../../src/service/ask-host.ts";

const cause = new Error("down");

describe("askHost", () => {
  it("an answer that is there at once comes without a promise", () => {
    expect(askHost(() => 7)).toBe(7);
    expect(askHost(() => undefined)).toBeUndefined();
    expect(askHost(() => null)).toBeNull();
  });

  it("waits for a promise, of whatever making", async () => {
    expect(await askHost(() => Promise.resolve(7))).toBe(7);
    expect(await askHost(() => ofOwnMaking((resolve) => resolve(7)))).toBe(7);
  });

  it.each([
    ["throws", () => throwing()],
    ["rejects", () => Promise.reject(cause)],
    ["rejects a promise of its own making", () => ofOwnMaking((_, reject) => reject(cause))],
  ])("decision 39: a host that %s is a failure of the service, -1001, never a refusal", async (_, ask) => {
    const failure = await Promise.resolve()
      .then(() => askHost(ask))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OrderError);
    expect(failure).toMatchObject({ code: -1001, cause });
  });
});

function throwing(): never {
  throw cause;
}

type Settle = (resolve: (value: number) => void, reject: (error: unknown) => void) => void;

/** What some libraries return in place of a promise. */
function ofOwnMaking(settle: Settle): Promise<number> {
  // biome-ignore lint/suspicious/noThenProperty: it is what makes it one
  return { then: settle } as unknown as Promise<number>;
}
