/**
 * What happens in a world, drawn from its seed before it begins: what its clients do and which faults strike, each with its
 * time. A plan is data, so that a failure can be repeated with less of it.
 */
import { SeededRandom, type Random } from '../kernel/index.ts';
import { faults, type FaultName } from './faults/index.ts';
import { operations, type Operation, type OperationName } from './operations/index.ts';

export interface PlannedOperation {
  readonly type: 'operation';
  /** Milliseconds after the world is ready. */
  readonly at: number;
  /** Of the built-in work or of one's own. */
  readonly name: string;
  /** Which client does it. */
  readonly client: number;
  readonly arguments: OperationArguments;
}

export interface PlannedFault {
  readonly type: 'fault';
  readonly at: number;
  readonly name: FaultName;
  readonly target: string;
  readonly durationMs: number;
  /** How strong it is, from 0 to 1; each fault says what that means. */
  readonly strength: number;
}

export type Planned = PlannedOperation | PlannedFault;

/** Numbers and texts, drawn by the operation. */
type OperationArguments = Readonly<Record<string, number | string | boolean>>;

export interface Plan {
  readonly seed: string;
  readonly durationMs: number;
  readonly nodes: number;
  readonly events: readonly Planned[];
}

export interface PlanOptions {
  /** How long clients work and faults strike, in milliseconds. */
  readonly durationMs?: number;
  /** How many operations, on average. */
  readonly operations?: number;
  /** Which faults may strike; default all. */
  readonly faults?: readonly FaultName[];
  /** How many faults, on average. */
  readonly faultCount?: number;
  /** Every kind of fault strikes once, instead of some that are drawn. */
  readonly everyFault?: boolean;
  /** How long a fault lasts at most, in milliseconds. */
  readonly maxFaultMs?: number;
  /** What faults strike, by the beginning of its name, where they strike such; default anything. */
  readonly targets?: readonly string[];
  /** Which of the built-in operations clients do; default all, or none where worlds have work of their own. */
  readonly kinds?: readonly OperationName[];
}

/** Work by its name. */
export type Work = Readonly<Record<string, Operation>>;

const CLIENTS = 3;
const DEFAULT_DURATION_MS = 120_000;
const DEFAULT_OPERATIONS = 25;
const DEFAULT_FAULTS = 6;
const DEFAULT_MAX_FAULT_MS = 60_000;
/** The share of operations that follow another one within a few milliseconds. */
const TOGETHER = 0.3;
const TOGETHER_MS = 6;

export function drawPlan(seed: number | string, options: PlanOptions = {}, work?: Work): Plan {
  const random = new SeededRandom(seed).fork('plan');
  const { durationMs = DEFAULT_DURATION_MS } = options;
  const events = [...drawOperations(random.fork('operations'), durationMs, { ...options, work })];
  events.push(...drawFaults(random.fork('faults'), durationMs, options));
  events.sort((a, b) => a.at - b.at);
  return { seed: String(seed), durationMs, nodes: 2 + random.integer(3), events };
}

function* drawOperations(
  random: Random,
  durationMs: number,
  options: PlanOptions & { work: Work | undefined },
): Iterable<Planned> {
  const builtIn = options.kinds ?? (options.work ? [] : someOf(random, Object.keys(operations) as OperationName[]));
  const drawn: (readonly [string, Operation])[] = [
    ...builtIn.map((name) => [name, operations[name]] as const),
    ...Object.entries(options.work ?? {}),
  ];
  if (drawn.length === 0) return;
  const weights = drawn.map(([, { weight = 1 }]) => weight);
  const count = around(random, options.operations ?? DEFAULT_OPERATIONS);
  let before = 0;
  for (let i = 0; i < count; i++) {
    const [name, { draw }] = drawn[weighted(random, weights)]!;
    // Most of the work is in the first half, so that changes of what was made follow.
    const alone = Math.floor(durationMs * random.next() * (random.next() < 0.5 ? 0.5 : 1));
    // Clients that act at once meet at the same objects.
    const at = random.next() < TOGETHER ? before + random.integer(TOGETHER_MS) : alone;
    before = at;
    yield {
      type: 'operation',
      at,
      name,
      client: random.integer(CLIENTS),
      arguments: draw(random),
    };
  }
}

function* drawFaults(random: Random, durationMs: number, options: PlanOptions): Iterable<Planned> {
  const { maxFaultMs = DEFAULT_MAX_FAULT_MS } = options;
  const names = options.faults ?? (Object.keys(faults) as FaultName[]);
  if (names.length === 0) return;
  const weights = names.map((name) => faults[name].weight);
  const count = options.everyFault ? names.length : around(random, options.faultCount ?? DEFAULT_FAULTS);
  for (let i = 0; i < count; i++) {
    const name = names[options.everyFault ? i : weighted(random, weights)]!;
    const targets = targetsOf(name, options.targets);
    yield {
      type: 'fault',
      at: random.integer(durationMs),
      name,
      target: targets[random.integer(targets.length)]!,
      durationMs: 500 + Math.floor(random.next() ** 2 * maxFaultMs),
      strength: random.next(),
    };
  }
}

function targetsOf(name: FaultName, wanted: readonly string[] | undefined): readonly string[] {
  const { targets } = faults[name] as { readonly targets: readonly string[] };
  const matching = targets.filter((target) => wanted?.some((prefix) => target.startsWith(prefix)));
  return matching.length > 0 ? matching : targets;
}

/** Half of the kinds of work, so that operations of a world meet at the same objects. */
const someOf = (random: Random, names: readonly OperationName[]): readonly OperationName[] =>
  names.filter(() => random.next() < 0.5);

/** Between half of it and one and a half times as many. */
const around = (random: Random, average: number): number =>
  average === 0 ? 0 : Math.max(1, Math.round(average * (0.5 + random.next())));

function weighted(random: Random, weights: readonly number[]): number {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length; i++) if ((left -= weights[i]!) < 0) return i;
  return weights.length - 1;
}

/** One line, for people. */
export function describePlanned(planned: Planned): string {
  const at = `${(planned.at / 1000).toFixed(3)} s`.padStart(10);
  if (planned.type === 'operation') {
    const args = Object.entries(planned.arguments).map(([name, value]) => `${name}=${value}`);
    return `${at}  client-${planned.client} ${planned.name} ${args.join(' ')}`.trimEnd();
  }
  const seconds = (planned.durationMs / 1000).toFixed(1);
  return `${at}  fault ${planned.name} on ${planned.target} for ${seconds} s, strength ${planned.strength.toFixed(2)}`;
}
