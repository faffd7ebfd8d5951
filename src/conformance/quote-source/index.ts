export type {
  OpenQuoteSource,
  PublishedQuote,
  PublishedTrade,
  QuoteSourcePlace,
  QuoteSourceSubject,
  QuoteSourceSupport,
} from "./place.ts";
export { testQuoteSource } from "./quote-source.ts";
