/**
 * The network between the processes of a world and its API servers. Each process has a link to each server; a link has a
 * latency, and faults may block it, delay it, lose requests or answers, repeat requests and break or hold watches. A client
 * connects to one server and goes to the next when that one refuses, as through a load balancer.
 */
import { TransportError, type Transport, type TransportRequest, type WatchEvent } from '../../client/index.ts';
import type { Clock, Random } from '../../kernel/index.ts';

/** What a link does to what passes it. */
export interface LinkConditions {
  /** Nothing passes. */
  blocked?: boolean;
  /** Added to the latency of every message, up to this many milliseconds. */
  delayMs?: number;
  /** The share of requests that are lost on their way. */
  loseRequests?: number;
  /** The share of answers that are lost: the server has acted. */
  loseAnswers?: number;
  /** The share of requests that arrive twice. */
  repeat?: number;
  /** Watches stay open and deliver nothing. */
  holdWatches?: boolean;
}

/** A request and its answer, as the client saw them. */
export interface Exchange {
  readonly process: string;
  readonly server: string;
  readonly user: string;
  readonly request: TransportRequest;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly body: unknown;
}

/** One watch, from its request to its end. */
interface WatchObserver {
  event(event: WatchEvent<unknown>): void;
}

export interface NetworkObserver {
  exchanged(exchange: Exchange): void;
  watchOpened(watch: { process: string; server: string; request: TransportRequest }): WatchObserver | undefined;
}

/** A server's side: undefined while the server is down. */
type ServerTransport = () => Transport | undefined;

/** How long a client waits for an answer that was lost, before it gives the connection up. */
const LOST_ANSWER_MS = 15_000;
/** How long a client waits for a link that lets nothing pass. */
const BLOCKED_MS = 5_000;
/** A watch that has heard nothing for so long asks the server, and gives up when nothing passes. */
const HEALTH_CHECK_MS = 30_000;
/** Every other message takes up to so long: enough that messages of different clients overtake one another. */
const LATENCY_MS = 3;

const REPEATABLE = new Set(['GET', 'PUT', 'DELETE']);

export class Network {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #observer: NetworkObserver;
  readonly #links = new Map<string, Set<LinkConditions>>();
  readonly #watches = new Map<string, Set<OpenWatch>>();
  readonly #interruptions = new Map<string, { left: number; readonly strike: () => void }>();

  constructor(clock: Clock, random: Random, observer: NetworkObserver) {
    this.#clock = clock;
    this.#random = random;
    this.#observer = observer;
  }

  /** Sets conditions on the link between a process and a server; the result takes them back. */
  impose(process: string, server: string, conditions: LinkConditions): () => void {
    const key = linkKey(process, server);
    const imposed = this.#links.get(key) ?? new Set();
    this.#links.set(key, imposed.add(conditions));
    return () => {
      imposed.delete(conditions);
      for (const watch of this.#watches.get(key) ?? []) watch.conditionsChanged();
    };
  }

  /** Calls `strike` in the middle of what the process does: at one of its next messages, before or after it has passed. */
  interrupt(process: string, afterMessages: number, strike: () => void): () => void {
    const interruption = { left: afterMessages, strike };
    this.#interruptions.set(process, interruption);
    return () => {
      if (this.#interruptions.get(process) === interruption) this.#interruptions.delete(process);
    };
  }

  /** A message of the process passes. */
  passes(process: string): void {
    const interruption = this.#interruptions.get(process);
    if (!interruption || interruption.left-- > 0) return;
    this.#interruptions.delete(process);
    interruption.strike();
  }

  /** Breaks the watches of a process; returns how many there were. */
  breakWatches(process: string): number {
    let broken = 0;
    for (const [key, watches] of this.#watches) {
      if (!key.startsWith(`${process} `)) continue;
      for (const watch of watches) {
        watch.break();
        broken++;
      }
    }
    return broken;
  }

  /** Breaks the watches that a server serves, when it goes away. */
  breakServer(server: string): void {
    for (const [key, watches] of this.#watches)
      if (key.endsWith(` ${server}`)) for (const watch of watches) watch.break();
  }

  /**
   * The transport of one user of a process. `isAlive` turns false when the process is killed: nothing that its code still
   * does reaches a server.
   */
  transport(options: {
    process: string;
    user: string;
    servers: readonly { name: string; transport: ServerTransport }[];
    isAlive: () => boolean;
  }): Transport {
    return new LinkTransport(this, options);
  }

  link(process: string, server: string): Link {
    return {
      clock: this.#clock,
      random: this.#random,
      observer: this.#observer,
      condition: (name) => this.#strongest(linkKey(process, server), name),
      watches: this.#watchesOf(linkKey(process, server)),
    };
  }

  #watchesOf(key: string): Set<OpenWatch> {
    const known = this.#watches.get(key) ?? new Set();
    this.#watches.set(key, known);
    return known;
  }

  #strongest<Name extends keyof LinkConditions>(key: string, name: Name): number {
    let strongest = 0;
    for (const conditions of this.#links.get(key) ?? []) strongest = Math.max(strongest, Number(conditions[name] ?? 0));
    return strongest;
  }
}

const linkKey = (process: string, server: string): string => `${process} ${server}`;

interface Link {
  readonly clock: Clock;
  readonly random: Random;
  readonly observer: NetworkObserver;
  /** 0 where nothing is imposed. */
  condition(name: keyof LinkConditions): number;
  readonly watches: Set<OpenWatch>;
}

class LinkTransport implements Transport {
  /** The server that this client is connected to. */
  #current = 0;
  readonly #network: Network;
  readonly #options: Parameters<Network['transport']>[0];

  constructor(network: Network, options: Parameters<Network['transport']>[0]) {
    this.#network = network;
    this.#options = options;
  }

  async request(request: TransportRequest): ReturnType<Transport['request']> {
    const { process, user } = this.#options;
    const { server, transport, link } = await this.#connect();
    const sentAt = link.clock.monotonic();
    const done = (status: number | undefined, body?: unknown): void =>
      link.observer.exchanged({
        process,
        server,
        user,
        request,
        sentAt,
        answeredAt: link.clock.monotonic(),
        status,
        body,
      });
    try {
      this.#network.passes(process);
      this.#checkAlive();
      await travel(link);
      if (happens(link, 'loseRequests')) throw await lost(link);
      if (REPEATABLE.has(request.method) && happens(link, 'repeat'))
        await transport.request(request).catch(() => undefined);
      const answer = await transport.request(request);
      this.#network.passes(process);
      if (link.condition('blocked') > 0 || happens(link, 'loseAnswers')) throw await lost(link);
      await travel(link);
      this.#checkAlive();
      done(answer.status, answer.body);
      return answer;
    } catch (error) {
      this.#checkAlive();
      done(undefined);
      throw error instanceof TransportError ? error : new TransportError('connection-lost', String(error));
    }
  }

  async watch(request: TransportRequest): ReturnType<Transport['watch']> {
    const { process } = this.#options;
    const { server, transport, link } = await this.#connect();
    await travel(link);
    const events = await transport.watch(request);
    this.#checkAlive();
    const observer = link.observer.watchOpened({ process, server, request });
    return new OpenWatch(link, events, { observer, isAlive: this.#options.isAlive, signal: request.signal });
  }

  async stream(request: TransportRequest): ReturnType<Transport['stream']> {
    const { transport } = await this.#connect();
    return transport.stream(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The next server that answers, beginning with the one of the last request. */
  async #connect(): Promise<{ server: string; transport: Transport; link: Link }> {
    this.#checkAlive();
    const { process, servers } = this.#options;
    let waited = false;
    for (let tries = 0; tries < servers.length; tries++) {
      const { name, transport } = servers[this.#current % servers.length]!;
      const link = this.#network.link(process, name);
      const open = transport();
      if (open !== undefined && link.condition('blocked') === 0) return { server: name, transport: open, link };
      if (link.condition('blocked') > 0 && !waited) {
        waited = true;
        await link.clock.sleep(BLOCKED_MS);
        this.#checkAlive();
      }
      this.#current++;
    }
    throw new TransportError('connection-refused', 'no API server can be reached');
  }

  #checkAlive(): void {
    if (!this.#options.isAlive()) throw new TransportError('closed', 'the process was killed');
  }
}

interface OpenWatchOptions {
  readonly observer: WatchObserver | undefined;
  readonly isAlive: () => boolean;
  readonly signal: AbortSignal | undefined;
}

/** The events of a watch behind a link: they keep their order, and may be late, held or cut off. */
class OpenWatch implements AsyncIterable<WatchEvent<unknown>> {
  #broken: TransportError | undefined;
  #wake: (() => void) | undefined;
  readonly #link: Link;
  readonly #events: AsyncIterable<WatchEvent<unknown>>;
  readonly #options: OpenWatchOptions;

  constructor(link: Link, events: AsyncIterable<WatchEvent<unknown>>, options: OpenWatchOptions) {
    this.#link = link;
    this.#events = events;
    this.#options = options;
  }

  break(): void {
    this.#broken ??= new TransportError('connection-lost', 'the watch was broken');
    this.#wake?.();
  }

  conditionsChanged(): void {
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<unknown>> {
    const { watches } = this.#link;
    const events = this.#events[Symbol.asyncIterator]();
    watches.add(this);
    try {
      for (;;) {
        const next = await this.#unlessBroken(events.next());
        if (next.done) return;
        await travel(this.#link);
        await this.#untilPassable();
        if (this.#broken) throw this.#broken;
        if (!this.#options.isAlive()) throw new TransportError('closed', 'the process was killed');
        this.#options.observer?.event(next.value);
        yield next.value;
      }
    } finally {
      watches.delete(this);
      void Promise.resolve(events.return?.()).catch(() => undefined);
    }
  }

  #unlessBroken<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#wake = () => {
        if (this.#broken) reject(this.#broken);
      };
      if (this.#broken) reject(this.#broken);
      work.then(resolve, reject);
    });
  }

  /** Events wait while nothing passes; a client notices a dead connection after a while. */
  async #untilPassable(): Promise<void> {
    const { clock, condition } = this.#link;
    const since = clock.monotonic();
    while (!this.#broken && (condition('blocked') > 0 || condition('holdWatches') > 0)) {
      if (condition('blocked') > 0 && clock.monotonic() - since >= HEALTH_CHECK_MS) return this.break();
      await new Promise<void>((resolve) => {
        const timer = clock.after(HEALTH_CHECK_MS, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
      if (this.#options.signal?.aborted) return;
    }
  }
}

async function travel({ clock, random, condition }: Link): Promise<void> {
  const delayMs = condition('delayMs');
  if (delayMs > 0) return clock.sleep(random.integer(delayMs));
  if (random.next() < 0.5) await clock.sleep(random.next() * LATENCY_MS);
}

const happens = (link: Link, name: 'loseRequests' | 'loseAnswers' | 'repeat'): boolean => {
  const share = link.condition(name);
  return share > 0 && link.random.next() < share;
};

async function lost({ clock }: Link): Promise<TransportError> {
  await clock.sleep(LOST_ANSWER_MS);
  return new TransportError('connection-lost', 'the answer was lost');
}
