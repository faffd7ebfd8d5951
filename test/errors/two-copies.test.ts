import { expect, test, vi } from "vitest";
import { ClientError, ProtocolError, UncertainOutcome } from "../../src/client/index.ts";
import { EngineError } from "../../src/engine/index.ts";
import { InvariantError, OrderError } from "../../src/errors/index.ts";

type Copy = typeof import("../../src/errors/index.ts") &
  typeof import("../../src/client/index.ts") &
  typeof import("../../src/engine/index.ts");

/** The same modules, loaded a second time: as a program does that imports the package and requires it. */
async function secondCopy(): Promise<Copy> {
  vi.resetModules();
  const [errors, client, engine] = await Promise.all([
    import("../../src/errors/index.ts"),
    import("../../src/client/index.ts"),
    import("../../src/engine/index.ts"),
  ]);
  return { ...errors, ...client, ...engine };
}

test("errors of another copy of the package are recognised by instanceof", async () => {
  const copy = await secondCopy();
  expect(copy.OrderError).not.toBe(OrderError);
  expect(new copy.OrderError("BAD_SYMBOL")).toBeInstanceOf(OrderError);
  const closed = new copy.EngineError("ENGINE_CLOSED");
  expect(closed).toBeInstanceOf(EngineError);
  expect(closed).toBeInstanceOf(OrderError);
  const cause = Object.create(copy.ProtocolError.prototype);
  const uncertain = new copy.UncertainOutcome("place", {}, cause, () => Promise.reject(cause));
  expect(uncertain).toBeInstanceOf(UncertainOutcome);
  expect(uncertain).toBeInstanceOf(ClientError);
});

test("instanceof tells the classes apart, and a class that a program derives is its own", async () => {
  const copy = await secondCopy();
  expect(new copy.OrderError("BAD_SYMBOL")).not.toBeInstanceOf(EngineError);
  expect(new copy.InvariantError("I24", "two children")).not.toBeInstanceOf(OrderError);
  class Mine extends OrderError {}
  class Other extends OrderError {}
  expect(new Mine("BAD_SYMBOL")).toBeInstanceOf(OrderError);
  expect(new Mine("BAD_SYMBOL")).toBeInstanceOf(copy.OrderError);
  expect(new Mine("BAD_SYMBOL")).not.toBeInstanceOf(Other);
  expect(new OrderError("BAD_SYMBOL")).not.toBeInstanceOf(Mine);
  for (const value of [undefined, null, "text", {}, Object.create(null), { constructor: undefined }])
    for (const kind of [OrderError, InvariantError, ProtocolError, Mine])
      expect(value instanceof kind).toBe(false);
});
