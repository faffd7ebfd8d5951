import { describe, expect, it } from "vitest";
import { Effects, type EngineEffect } from "../../src/engine/core/effects.ts";

const MOVED: EngineEffect = { kind: "MARKET_MOVED" };

describe("I66: effects of an engine", () => {
  it("run at once, in the order in which they are emitted", () => {
    const effects = new Effects();
    const run: string[] = [];
    effects.connect({
      run: ({ kind }) => {
        if (kind === "MARKET_MOVED") effects.emit({ kind: "PRINT_DROPPED" });
        run.push(kind);
      },
    });
    effects.emit(MOVED);
    expect(run).toEqual(["PRINT_DROPPED", "MARKET_MOVED"]);
  });

  it("before the engine is assembled are a broken invariant, and so is a second interpreter", () => {
    const effects = new Effects();
    expect(() => effects.emit(MOVED)).toThrow(/I66: effect MARKET_MOVED was emitted before the parts/);
    effects.connect({ run: () => undefined });
    expect(() => effects.connect({ run: () => undefined })).toThrow(/I66/);
  });
});
