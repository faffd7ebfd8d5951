import { describe, expect, it } from "vitest";
import { endingOnce } from "../../../src/service/forwarding/ending-once.ts";

function recorded() {
  const told: string[] = [];
  const ending = endingOnce({
    send: (event) => void told.push(event),
    ended: (why) => void told.push(`ended ${why}`),
  });
  return { told, ...ending };
}

describe("decision ZX: a stream ends once, whoever ends it first", () => {
  it("the first end is told, and nothing after it", () => {
    const { told, sink } = recorded();
    sink.send("a");
    sink.ended("moved");
    sink.send("b");
    sink.ended("refused");
    expect(told).toEqual(["a", "ended moved"]);
  });

  it("the step of its end runs once, before the end is told", () => {
    const { told, sink, atEnd } = recorded();
    atEnd(() => void told.push("step"));
    sink.ended("moved");
    sink.ended("moved");
    expect(told).toEqual(["step", "ended moved"]);
  });

  it("and at once if the stream has ended already", () => {
    const { told, sink, atEnd } = recorded();
    sink.ended("overrun");
    atEnd(() => void told.push("step"));
    expect(told).toEqual(["ended overrun", "step"]);
  });
});
