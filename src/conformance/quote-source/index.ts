export type {
  OpenQuoteSource,
  PublishedQuote,
  PublishedTrade,
  QuoteSourcePlace,
  QuoteSourceSubject,
  QuoteSourceSupport,
} from "./place.ts";
export { quoteSourceRules, testQuoteSource } from "./quote-source.ts";
