import type { StreamEnd, StreamSink } from "../socket/answers.ts";

/** A sink whose stream ends once, and the step that follows its end. */
type EndingOnce = Readonly<{
  sink: StreamSink;
  /** Runs a step when the stream ends, at once if it has ended already. */
  atEnd: (step: () => void) => void;
}>;

/** Wraps a sink so that its stream ends once, whoever ends it first. Nothing is sent after the end. */
export function endingOnce(sink: StreamSink): EndingOnce {
  let isOver = false;
  let last: () => void = () => undefined;
  return {
    sink: {
      send: (event) => {
        if (!isOver) sink.send(event);
      },
      ended: (why: StreamEnd) => {
        if (isOver) return;
        isOver = true;
        last();
        sink.ended(why);
      },
    },
    atEnd: (step) => {
      if (isOver) step();
      else last = step;
    },
  };
}
