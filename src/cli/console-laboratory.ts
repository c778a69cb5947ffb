/** The laboratory of the console: nodes, components, faults and time of a simulated cluster. */
import type { Fault, FaultOptions } from '../cluster/index.ts';
import type { ConsoleQuestion } from '../console/index.ts';
import { badRequest, failure } from '../machinery/errors/index.ts';

/** What of a cluster can be experimented with. */
export interface Experiments {
  readonly nodes: readonly string[];
  addNodes(count: number): Promise<unknown>;
  removeNode(name: string): Promise<void>;
  readonly faults: {
    errors(options: FaultOptions & { status?: number }): Fault;
    conflicts(options: FaultOptions): Fault;
    timeoutsAfterWrite(options: FaultOptions): Fault;
    delay(ms: number, options: FaultOptions): Fault;
    silenceNode(name: string, silent?: boolean): void;
    kill(component: string): Promise<void>;
    restart(component: string): void;
  };
  /** Absent where time cannot be moved. */
  readonly clock?: { now(): number; advance(duration: number | string): Promise<void> } | undefined;
}

const COMPONENTS = ['kube-scheduler', 'kube-controller-manager'] as const;
const FAULTS = ['errors', 'conflicts', 'timeoutsAfterWrite', 'delay'] as const;
type FaultKind = (typeof FAULTS)[number];
const MAX_NODES_AT_ONCE = 1000;
const MAX_DELAY_MS = 60_000;

interface Ordered {
  readonly id: number;
  readonly kind: FaultKind;
  readonly resource: string;
  readonly probability: number;
  readonly fault: Fault;
}

export class Laboratory {
  readonly #experiments: Experiments;
  readonly #silent = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #faults = new Map<number, Ordered>();
  #next = 1;

  constructor(experiments: Experiments) {
    this.#experiments = experiments;
  }

  async answer({ body, asKubeconfigUser }: ConsoleQuestion): Promise<object> {
    if (!asKubeconfigUser) throw failure(403, 'Forbidden', 'Only the user of the kubeconfig may experiment.', {});
    if (body !== undefined) await this.#act(body);
    return this.#state();
  }

  #state(): object {
    const { nodes, clock } = this.#experiments;
    return {
      nodes: nodes.map((name) => ({ name, silent: this.#silent.has(name) })),
      components: COMPONENTS.map((name) => ({ name, running: !this.#stopped.has(name) })),
      faults: [...this.#faults.values()].map(({ fault, ...ordered }) => ({ ...ordered, hits: fault.hits })),
      ...(clock ? { time: clock.now() } : {}),
    };
  }

  async #act(body: Readonly<Record<string, unknown>>): Promise<void> {
    const experiments = this.#experiments;
    const text = (name: string): string => (typeof body[name] === 'string' ? body[name] : '');
    const number = (name: string, [least, most]: readonly [number, number]): number => {
      const value = body[name];
      if (typeof value !== 'number' || !(value >= least && value <= most))
        throw badRequest(`${name} must be a number from ${least} to ${most}`);
      return value;
    };
    const node = (): string => {
      if (!experiments.nodes.includes(text('node'))) throw badRequest(`there is no simulated node ${text('node')}`);
      return text('node');
    };
    const component = (): string => {
      const found = COMPONENTS.find((name) => name === text('component'));
      if (!found) throw badRequest(`component must be one of ${COMPONENTS.join(', ')}`);
      return found;
    };
    const actions: Readonly<Record<string, () => unknown>> = {
      addNodes: () => experiments.addNodes(Math.floor(number('count', [1, MAX_NODES_AT_ONCE]))),
      removeNode: () => experiments.removeNode(node()),
      silenceNode: () => {
        experiments.faults.silenceNode(node());
        this.#silent.add(node());
      },
      wakeNode: () => {
        experiments.faults.silenceNode(node(), false);
        this.#silent.delete(node());
      },
      kill: async () => {
        await experiments.faults.kill(component());
        this.#stopped.add(component());
      },
      restart: () => {
        experiments.faults.restart(component());
        this.#stopped.delete(component());
      },
      fault: () =>
        this.#order(text('kind'), { resource: text('resource'), probability: number('probability', [0, 1]) }, () =>
          number('ms', [1, MAX_DELAY_MS]),
        ),
      lift: () => {
        const id = number('id', [1, Number.MAX_SAFE_INTEGER]);
        this.#faults.get(id)?.fault.lift();
        this.#faults.delete(id);
      },
      advance: () => {
        if (!experiments.clock) throw badRequest("the cluster runs on the machine's clock: its time cannot be moved");
        return experiments.clock.advance(number('seconds', [1, 366 * 86_400]) * 1000);
      },
    };
    const action = Object.hasOwn(actions, text('action')) ? actions[text('action')] : undefined;
    if (!action) throw badRequest(`there is no experiment ${JSON.stringify(text('action'))}`);
    await action();
  }

  #order(name: string, where: { resource: string; probability: number }, ms: () => number): void {
    const kind = FAULTS.find((each) => each === name);
    if (!kind) throw badRequest(`kind must be one of ${FAULTS.join(', ')}`);
    const { faults } = this.#experiments;
    const { resource, probability } = where;
    const options: FaultOptions = { probability, ...(resource === '' ? {} : { resource }) };
    const fault = kind === 'delay' ? faults.delay(ms(), options) : faults[kind](options);
    const id = this.#next++;
    this.#faults.set(id, { id, kind, resource, probability, fault });
  }
}
