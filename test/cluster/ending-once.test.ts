import { describe, expect, it } from "vitest";
import { endingOnce } from "../../src/cluster/shard-watch.ts";

function recorded() {
  const reported: string[] = [];
  const ending = endingOnce({
    send: (event) => void reported.push(event),
    ended: (why) => void reported.push(`ended ${why}`),
  });
  return { reported, ...ending };
}

describe("a stream ends once, whoever ends it first", () => {
  it("the first end is told, and nothing after it", () => {
    const { reported, sink } = recorded();
    sink.send("a");
    sink.ended("moved");
    sink.send("b");
    sink.ended("refused");
    expect(reported).toEqual(["a", "ended moved"]);
  });

  it("the step of its end runs once, before the end is told", () => {
    const { reported, sink, atEnd } = recorded();
    atEnd(() => void reported.push("step"));
    sink.ended("moved");
    sink.ended("moved");
    expect(reported).toEqual(["step", "ended moved"]);
  });

  it("and at once if the stream has ended already", () => {
    const { reported, sink, atEnd } = recorded();
    sink.ended("overrun");
    atEnd(() => void reported.push("step"));
    expect(reported).toEqual(["ended overrun", "step"]);
  });
});
