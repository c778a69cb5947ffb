import { isNotFound } from '../../client/index.ts';
import { SimulatedNodes } from '../../simulated-kubelet/index.ts';
import type { ProcessContext } from './processes.ts';
/** The nodes of a world: one process simulates all kubelets. Faults silence nodes, and replace them by empty ones. */
import { adminUser, nodeUser, serviceAccountUser } from './users.ts';

const RETRY_MS = 1_000;

export class WorldNodes {
  #current: SimulatedNodes | undefined;
  #wanted: number;
  readonly #silent = new Set<string>();
  readonly #gone = new Set<string>();

  constructor(count: number) {
    this.#wanted = count;
  }

  /** What the process of the kubelets does. */
  async run(ctx: ProcessContext): Promise<void> {
    const nodes = new SimulatedNodes(ctx, {
      reader: ctx.clientAs(serviceAccountUser('simulated-kubelet'), 'simulated-kubelet'),
      admin: ctx.clientAs(adminUser, 'simulated-kubelet'),
      kubeletClient: (name) => ctx.clientAs(nodeUser(name), 'kubelet'),
    });
    this.#current = nodes;
    const running = nodes.run();
    await this.#register(ctx, nodes);
    await running;
  }

  /** False when there is no such node, or it is silent already. */
  silence(name: string): boolean {
    if (!this.#current?.has(name) || this.#silent.has(name)) return false;
    this.#silent.add(name);
    this.#current.silence(name);
    return true;
  }

  speak(name: string): void {
    this.#silent.delete(name);
    if (this.#current?.has(name)) this.#current.silence(name, false);
  }

  /** The machine of a node that was silent comes back, and nothing runs on it any more. */
  restart(name: string): void {
    if (this.#current?.has(name)) this.#current.restart(name);
    this.speak(name);
  }

  /** The node is deleted, with its machine. False when there is no such node, or it is the last one. */
  remove(name: string): boolean {
    const nodes = this.#current;
    if (!nodes?.has(name) || this.#gone.size >= this.#wanted - 1) return false;
    this.#gone.add(name);
    nodes.remove(name).catch((error: unknown) => {
      if (!isNotFound(error)) this.#gone.delete(name);
    });
    return true;
  }

  /** A machine of the same name, with nothing on it, registers. */
  replace(name: string): void {
    this.#gone.delete(name);
    this.#pending = this.#pending.then(() => this.#add()).catch(() => undefined);
  }

  #pending: Promise<void> = Promise.resolve();
  #ctx: ProcessContext | undefined;

  /** Tries until the API server has answered: a kubelet that cannot register tries again. */
  async #register(ctx: ProcessContext, nodes: SimulatedNodes): Promise<void> {
    this.#ctx = ctx;
    while (!ctx.signal.aborted) {
      try {
        await nodes.adopt();
        await this.#add();
        break;
      } catch (error) {
        ctx.logger.info('Unable to register nodes with the API server', { err: error });
        await ctx.clock.sleep(RETRY_MS, ctx.signal).catch(() => undefined);
      }
    }
    for (const name of this.#silent) if (nodes.has(name)) nodes.silence(name);
  }

  async #add(): Promise<void> {
    const nodes = this.#current;
    const ctx = this.#ctx;
    if (!nodes || !ctx) return;
    while (!ctx.signal.aborted) {
      const missing = this.#wanted - this.#gone.size - nodes.size;
      if (missing <= 0) return;
      try {
        await nodes.add({ count: missing });
      } catch (error) {
        ctx.logger.info('Unable to register nodes with the API server', { err: error });
        await ctx.clock.sleep(RETRY_MS, ctx.signal).catch(() => undefined);
      }
    }
  }
}
