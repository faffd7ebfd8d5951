import { describe, it } from "vitest";
import { testExecutionVenue } from "../../../src/conformance/index.ts";
import type { ExecutionVenue, VenueEvent } from "../../../src/ports/index.ts";
import { type FrontOf, PAPER_SUPPORT, paperPlace } from "../../paper-exchange/paper-place.ts";
import { connect, serveVenue, until, watched } from "./loopback.ts";

/** Turns of the event loop in which a call that has just arrived reaches the record of the venue. */
const TURNS = 3;

/** Puts server and client between the suite and the paper venue. */
const overHttp: FrontOf = async (paper, clock) => {
  const inner = watched(paper, clock);
  const running = await serveVenue({ venue: inner, clock });
  const client = await connect(running.url);
  let [calls, received] = [0, 0];
  const counted = async <T>(call: Promise<T>): Promise<T> => {
    calls++;
    return await call.finally(() => calls--);
  };
  const { venue } = client;
  let listeners = 0;
  const outer: ExecutionVenue = {
    capabilities: venue.capabilities,
    submit: (child, options) => counted(venue.submit(child, options)),
    lookup: (child) => counted(venue.lookup(child)),
    venueTimeMs: () => counted(venue.venueTimeMs?.() ?? Promise.reject(new Error("no time"))),
    subscribe(listener) {
      listeners++;
      const leave = venue.subscribe((event: VenueEvent) => {
        received++;
        listener(event);
      });
      return () => {
        listeners--;
        leave();
      };
    },
  };
  return {
    venue: outer,
    setOutage(isOut) {
      inner.isTimeless = isOut;
    },
    close() {
      client.close();
      return running.close();
    },
    async idle() {
      // What is not answered now waits in the venue itself. Every event has been heard by its listener.
      const isAtRest = (): boolean => {
        const { streams, lookups } = client.status();
        const areLive = streams.length === listeners && streams.every(({ isLive }) => isLive);
        const isQuiet = areLive && lookups === 0 && !paper.busy;
        return isQuiet && calls === inner.unanswered && received >= inner.events;
      };
      let turnsAtRest = 0;
      await until(() => {
        turnsAtRest = isAtRest() ? turnsAtRest + 1 : 0;
        return turnsAtRest > TURNS;
      }, "the answers and events that are due");
    },
  };
};

testExecutionVenue(
  { describe, it },
  {
    name: "paper venue over HTTP",
    supports: { ...PAPER_SUPPORT, abortable: true },
    createPlace: () => paperPlace(overHttp),
  },
);
