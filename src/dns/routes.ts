/** Who answers a name: the cluster's records, and the servers that other names are forwarded to. */
import type { Zone } from './answer-query.ts';
import type { ServerBlock } from './corefile.ts';
import type { Forwarder } from './forwarder.ts';
import type { Question } from './message.ts';

interface RoutesOptions {
  /** The cluster's records. */
  readonly zone: Zone;
  /** Makes a forwarder to these servers; undefined: those of the machine. */
  makeForwarder(servers: readonly string[] | undefined): Forwarder;
}

/** Without a configuration: the cluster's records, and all other names to the servers of the machine. */
export const DEFAULT_BLOCKS: readonly ServerBlock[] = [
  { zone: '', kubernetes: true, ttl: undefined, forwards: [{ zone: '', servers: undefined }] },
];

interface Route {
  /** Absent where the cluster's records are not answered. */
  readonly zone: Zone | undefined;
  readonly forwards: readonly { readonly zone: string; readonly forwarder: Forwarder }[];
}

export class Routes {
  readonly #routes = new Map<string, Route>();
  readonly #forwarders = new Map<string, Forwarder>();
  /** The route of the root, where it is the only one. */
  readonly #only: Route | undefined;

  constructor(blocks: readonly ServerBlock[], { zone, makeForwarder }: RoutesOptions) {
    for (const block of blocks) {
      const forwards = block.forwards.map(({ zone: from, servers }) => {
        const key = servers?.join(' ') ?? '';
        const forwarder = this.#forwarders.get(key) ?? makeForwarder(servers);
        this.#forwarders.set(key, forwarder);
        return { zone: from, forwarder };
      });
      const own = block.kubernetes ? { ...zone, ttl: block.ttl ?? zone.ttl } : undefined;
      this.#routes.set(block.zone, { zone: own, forwards });
    }
    this.#only = this.#routes.size === 1 ? this.#routes.get('') : undefined;
  }

  /** The zone of the cluster's records, if they are answered for this name. */
  zoneFor(name: string): Zone | undefined {
    return this.#routeOf(name.toLowerCase())?.zone;
  }

  forwarderFor(name: string): Forwarder | undefined {
    const lower = name.toLowerCase();
    return this.#routeOf(lower)?.forwards.find(({ zone }) => isWithin(lower, zone))?.forwarder;
  }

  /** Whether some names are forwarded. */
  get isRecursive(): boolean {
    for (const forwarder of this.#forwarders.values()) if (forwarder.enabled) return true;
    return false;
  }

  isLoopProbe(question: Question): boolean {
    for (const forwarder of this.#forwarders.values()) if (forwarder.isLoopProbe(question)) return true;
    return false;
  }

  async detectLoops(): Promise<void> {
    await Promise.all([...this.#forwarders.values()].map((forwarder) => forwarder.detectLoop()));
  }

  /** Of the most specific zone that has the name. */
  #routeOf(name: string): Route | undefined {
    if (this.#only) return this.#only;
    for (let zone = name; zone !== ''; zone = zone.slice(zone.indexOf('.') + 1 || zone.length)) {
      const route = this.#routes.get(zone);
      if (route) return route;
    }
    return this.#routes.get('');
  }
}

const isWithin = (name: string, zone: string): boolean => zone === '' || name === zone || name.endsWith(`.${zone}`);
