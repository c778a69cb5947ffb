/** An API server of a world: the pipeline on a view of the store, without a socket. */
import { createPipeline, type ClusterPki, type Pipeline, type UserInfo } from '../../apiserver/index.ts';
import type { Transport } from '../../client/index.ts';
import { inProcessTransports } from '../../cluster/index.ts';
import type { Store } from '../../etcd/index.ts';
import { createContext, unlessAborted, type Clock, type Logger, type Random } from '../../kernel/index.ts';
import { OLDER_GATES, OLDER_VERSION } from './older-release.ts';
import { ProcessClock } from './process-clock.ts';
import { HEALTHY, StoreView, type StoreConditions, type StoreCrash } from './store-view.ts';
import type { WorldWebhook } from './webhook.ts';

interface ApiServerProcessOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly store: Store;
  readonly pki: ClusterPki;
  readonly advertiseAddress: string;
  readonly webhook: WorldWebhook;
  /** Called when the server could not start, or has ended by itself. */
  readonly onCrash: (error: unknown) => void;
  /** Called when the server goes away: its connections break. */
  readonly onKill: () => void;
}

interface Incarnation {
  readonly stop: AbortController;
  readonly view: StoreView;
  pipeline: Pipeline | undefined;
  transportAs: ((user: UserInfo) => Transport) | undefined;
  readonly transports: Map<string, Transport>;
}

const SERVICE_CLUSTER_IP_RANGE = '10.96.0.0/16';
const PORT = 6443;
/** Seldom, because renewals would be much of what a world does: the Lease lasts for an hour. */
const IDENTITY_RENEWAL_MS = 60_000;
const RETRY_START_MS = 3_000;

export class ApiServerProcess {
  readonly name: string;
  readonly clock: ProcessClock;
  #incarnations = 0;
  #current: Incarnation | undefined;
  #conditions: StoreConditions | undefined;
  #crash: StoreCrash | undefined;
  /** Runs the release before this one. */
  isOlder = false;
  readonly #ended: Promise<unknown>[] = [];
  readonly #options: ApiServerProcessOptions;

  constructor(options: ApiServerProcessOptions) {
    this.name = options.name;
    this.clock = new ProcessClock(options.clock);
    this.#options = options;
  }

  /** Undefined while the server does not answer. */
  transport(user: UserInfo): Transport | undefined {
    const { transportAs, transports } = this.#current ?? {};
    if (transportAs === undefined || transports === undefined) return undefined;
    const known = transports.get(user.name) ?? transportAs(user);
    transports.set(user.name, known);
    return known;
  }

  get isServing(): boolean {
    return this.#current?.transportAs !== undefined;
  }

  get view(): StoreView | undefined {
    return this.#current?.view;
  }

  /** How the store answers this server; undefined is as usual. */
  setConditions(conditions: StoreConditions | undefined): void {
    this.#conditions = conditions;
    if (this.#current) this.#current.view.conditions = conditions ?? HEALTHY;
  }

  setCrash(crash: StoreCrash | undefined): void {
    this.#crash = crash;
    if (this.#current) this.#current.view.crash = crash;
  }

  start(): void {
    if (this.#current) return;
    const { clock, store } = this.#options;
    const view = new StoreView(store, clock);
    if (this.#conditions) view.conditions = this.#conditions;
    view.crash = this.#crash;
    const incarnation: Incarnation = {
      stop: new AbortController(),
      view,
      pipeline: undefined,
      transportAs: undefined,
      transports: new Map(),
    };
    this.#current = incarnation;
    this.#ended.push(this.#run(incarnation));
  }

  kill(): void {
    const incarnation = this.#current;
    if (!incarnation) return;
    this.#current = undefined;
    incarnation.stop.abort(new Error(`${this.name} was killed`));
    void incarnation.view.close();
    this.#options.onKill();
  }

  async ended(): Promise<void> {
    await Promise.all(this.#ended);
  }

  async #run(incarnation: Incarnation): Promise<void> {
    const { random, logger, pki, advertiseAddress, clock, onCrash } = this.#options;
    const { stop, view } = incarnation;
    const ctx = createContext({
      signal: stop.signal,
      clock: this.clock,
      random: random.fork(`${this.name}.${this.#incarnations++}`),
      logger: logger.named(this.name),
    });
    try {
      const pipeline = await createPipeline(ctx, {
        store: view,
        pki,
        advertiseAddress,
        identity: { hostname: this.name, renewIntervalMs: IDENTITY_RENEWAL_MS },
        serviceClusterIpRange: SERVICE_CLUSTER_IP_RANGE,
        sendToWebhook: this.#options.webhook.send,
        ...(this.isOlder ? { featureGates: OLDER_GATES, gitVersion: OLDER_VERSION } : {}),
      });
      const running = pipeline.run();
      running.catch(() => undefined);
      await unlessAborted(stop.signal, pipeline.bootstrap(PORT));
      incarnation.transportAs = inProcessTransports({ handle: pipeline.handle, signal: stop.signal });
      await running;
      if (!stop.signal.aborted) onCrash(new Error('the API server ended by itself'));
    } catch (error) {
      if (stop.signal.aborted) return;
      // A server that cannot reach its store ends, and is started again.
      logger.info('API server failed', { server: this.name, err: error });
      this.kill();
      clock.after(RETRY_START_MS, () => this.start());
    }
  }
}
