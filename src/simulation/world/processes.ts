import type { UserInfo } from '../../apiserver/index.ts';
/**
 * The processes of a world. A process can be killed at any time: nothing that its code still does gets out. Something
 * starts it again, as it does when the process has ended by itself.
 */
import { Client, LeadershipLost, type Transport } from '../../client/index.ts';
import {
  createContext,
  isAbort,
  type Context,
  type Logger,
  type MetricsRegistry,
  type Random,
} from '../../kernel/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { ProcessClock } from './process-clock.ts';

/** How long it takes until a process that has ended is started again. */
const RESTART_MS = 2_000;

export interface ProcessContext extends Context {
  /** The name of the process, for leader election. */
  readonly identity: string;
  /** Whether the process runs the release before this one. */
  readonly isOlder: boolean;
  /** A client of this process; it ends with the process. */
  clientAs(user: UserInfo, userAgent: string): Client;
  transportAs(user: UserInfo): Transport;
}

interface ProcessOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly run: (ctx: ProcessContext) => Promise<void>;
  readonly connect: (user: UserInfo, isAlive: () => boolean) => Transport;
  /** Called when the process has ended with an error that no fault explains. */
  readonly onCrash: (error: unknown) => void;
}

export class WorldProcess {
  readonly name: string;
  readonly clock: ProcessClock;
  /** From its next start on. */
  isOlder = false;
  /** Of the incarnation that runs. */
  metrics: MetricsRegistry | undefined;
  #incarnation = 0;
  #stop: AbortController | undefined;
  /** Nothing starts the process until this is false. */
  #isHeld = false;
  readonly #ended: Promise<void>[] = [];
  readonly #options: ProcessOptions;

  constructor(options: ProcessOptions) {
    this.name = options.name;
    this.clock = new ProcessClock(options.clock);
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#stop !== undefined;
  }

  start(): void {
    this.#isHeld = false;
    if (this.#stop) return;
    const { random, logger, run, connect, onCrash } = this.#options;
    const stop = new AbortController();
    this.#stop = stop;
    const label = `${this.name}.${this.#incarnation++}`;
    const ctx = createContext({
      signal: stop.signal,
      clock: this.clock,
      random: random.fork(label),
      logger: logger.named(this.name),
    });
    const isAlive = (): boolean => !stop.signal.aborted;
    this.metrics = ctx.metrics;
    const { isOlder } = this;
    const running = run({
      ...ctx,
      identity: this.name,
      isOlder,
      transportAs: (user) => connect(user, isAlive),
      clientAs: (user, userAgent) => new Client({ transport: connect(user, isAlive), clock: this.clock, userAgent }),
    }).then(
      () => {
        if (!stop.signal.aborted) onCrash(new Error('the process ended by itself'));
      },
      (error: unknown) => {
        if (stop.signal.aborted || isAbort(error, stop.signal) || error instanceof LeadershipLost) return;
        onCrash(error);
      },
    );
    this.#ended.push(
      running.then(() => {
        if (this.#stop !== stop) return;
        this.#stop = undefined;
        this.#startLater();
      }),
    );
  }

  /** Ends the process where it stands. It stays away until `start`. */
  kill(): void {
    this.#isHeld = true;
    this.#stop?.abort(new Error(`${this.name} was killed`));
    this.#stop = undefined;
  }

  /** Resolves when every incarnation's code has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#ended);
  }

  #startLater(): void {
    if (this.#isHeld) return;
    this.#options.clock.after(RESTART_MS, () => {
      if (!this.#isHeld) this.start();
    });
  }
}
