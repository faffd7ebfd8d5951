export { testRateLimiter } from "./rate-limiter.ts";
export type {
  RateLimiterPlace,
  RateLimiterSubject,
  RateLimiterSupport,
  RateLimiterTerms,
} from "./world.ts";
