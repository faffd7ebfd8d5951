import type { SocketSettings } from "./api.ts";

const DEFAULTS: Required<SocketSettings> = {
  maxMessageBytes: 65_536,
  maxFramesPerSecond: 1_000,
  maxPingsPerMinute: 120,
  maxUnanswered: 1_000,
  maxMalformedPerMinute: 10,
  maxWaitingEventBytes: 8_388_608,
  maxWaitingReplyBytes: 8_388_608,
  maxWaitingMarketBytes: 1_048_576,
  maxStreams: 1_024,
  pingEveryMs: 20_000,
  pongWithinMs: 60_000,
  lifeMs: 86_400_000,
};

/** Returns the settings with their defaults. */
export function resolveSocketSettings(settings: SocketSettings = {}): Required<SocketSettings> {
  return { ...DEFAULTS, ...settings };
}
