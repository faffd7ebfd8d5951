import { networkOf } from "../../common/index.ts";

/** Places of one surface. A place is held for a round trip; of requests, each may hold the bytes of its body. */
const PLACES = 256;
/** Most networks that are remembered as proved. */
const MOST_KNOWN = 1_024;

type Place = Readonly<{ network: string; evict: () => void }>;

/**
 * The places of those who have not proved who they are: requests before their signature, connections before their
 * handshake. They are apart from the places of the proved, so that strangers take none of those. When they are taken, the
 * network that holds the most of them loses its oldest; networks that have proved themselves before come last, so that
 * strangers of one network, or of many, do not keep them out.
 */
export class Unproved {
  readonly #crowded: () => void;
  /** In the order of their arrival. */
  readonly #places: Set<Place> = new Set();
  /** Networks that have proved themselves, the one that did so last at the end. */
  readonly #known: Set<string> = new Set();
  #isCrowded = false;

  /** Calls `crowded` when the places begin to be too few, and again only after half of them were free. */
  constructor(crowded: () => void) {
    this.#crowded = crowded;
  }

  /** Takes a place until the returned function is called. Whoever loses a place, also at once, is told by `evict`. */
  enter(address: string, evict: () => void): () => void {
    const place: Place = { network: networkOf(address), evict };
    this.#places.add(place);
    if (this.#places.size > PLACES) this.#evictOne();
    return () => {
      this.#places.delete(place);
      if (this.#places.size < PLACES / 2) this.#isCrowded = false;
    };
  }

  /** Remembers that somebody of the network of an address has proved who they are. */
  proved(address: string): void {
    const network = networkOf(address);
    this.#known.delete(network);
    this.#known.add(network);
    const [oldest] = this.#known;
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }

  #evictOne(): void {
    const all = [...this.#places];
    const strangers = all.filter(({ network }) => !this.#known.has(network));
    const place = oldestOfMost(strangers.length > 0 ? strangers : all);
    if (place === undefined) return;
    this.#places.delete(place);
    if (!this.#isCrowded) this.#crowded();
    this.#isCrowded = true;
    place.evict();
  }
}

/** Returns the oldest place of the network that holds the most. */
function oldestOfMost(places: readonly Place[]): Place | undefined {
  const held = new Map<string, number>();
  for (const { network } of places) held.set(network, (held.get(network) ?? 0) + 1);
  const most = [...held.values()].reduce((one, other) => Math.max(one, other), 0);
  return places.find(({ network }) => held.get(network) === most);
}
