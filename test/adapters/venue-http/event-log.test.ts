import { describe, expect, it } from "vitest";
import { EventLog } from "../../../src/adapters/venue-http/venue-streams.ts";

/** A log with events in this order: a letter with a key, or without one in lower case. */
function logOf(texts: string, bounds: Readonly<{ events?: number; characters?: number }> = {}): EventLog {
  const log = new EventLog({ events: 100, characters: 100, ...bounds });
  for (const text of texts) {
    const key = text === text.toUpperCase() ? text : undefined;
    log.retain({ sequence: log.next(), text }, key);
  }
  return log;
}

const following = (log: EventLog, sequence: number): string | undefined =>
  log
    .after(sequence)
    ?.map((line) => `${line.sequence}${line.text}`)
    .join(" ");

const current = (log: EventLog): string =>
  log
    .current()
    .map(({ text }) => text)
    .join("");

describe("the events that a stream keeps", () => {
  it("are told in order, those with a key beside the others, and only the newest of each key", () => {
    const log = logOf("AaBbAc");
    expect(following(log, 0)).toBe("2a 3B 4b 5A 6c");
    expect(following(log, 4)).toBe("5A 6c");
    expect(current(log)).toBe("BA");
  });

  it("without a key, the oldest ones above the bound are gone, and nobody goes on from before them", () => {
    const log = logOf("AabBc", { events: 2 });
    expect(following(log, 1)).toBeUndefined();
    expect(following(log, 2)).toBe("3b 4B 5c");
    expect(current(log)).toBe("AB");
  });

  it("those with a key go only when nothing else is left to make room, the oldest first", () => {
    const log = logOf("AaBbC", { characters: 2 });
    expect(current(log)).toBe("BC");
    expect(following(log, 3)).toBeUndefined();
    expect(following(log, 4)).toBe("5C");
  });
});
