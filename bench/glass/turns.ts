/** The same work in many short turns, a third of which record, and what that costs. */
import { SeededRandom } from '../../src/kernel/index.ts';
import type { Row } from '../harness.ts';

const ROUNDS = 100;
const WARM_UP_ROUNDS = 3;
/** What a turn does besides the work. The control does nothing, as `off`: what it differs by is the error of the measurement. */
type Kind = 'on' | 'off' | 'control';
/** Of each kind in a round. */
const TURNS = 9;
/** Turns after which is tidied up. */
const TIDY_EVERY = 4;
/** Of turns, the share that is taken for undisturbed, also by the collector of garbage: their mean is what one thing costs. */
const CHEAPEST = 1 / 3;
const RESAMPLES = 1000;

export interface TurnedWork {
  readonly name: string;
  /** What recording may take of it, in percent. How sure the result is, the confidence interval shows: it depends on the machine. */
  readonly mostLost?: number;
  /** Does some work, and gives how many things it did. */
  turn(): Promise<number>;
  /** Removes what turns have left. */
  tidy(): Promise<void>;
}

/** What one thing cost: processor time of all threads, time, and memory that was allocated for it. */
interface Turn {
  readonly micros: number;
  readonly elapsed: number;
  /** Negative where garbage was collected meanwhile. */
  readonly bytes: number;
}

type Round = Readonly<Record<Kind, Turn[]>>;

interface Measurement {
  readonly rounds: number;
  /** Rates say nothing where the client is in the process. */
  readonly hasRates: boolean;
  setRecording(isOn: boolean): void;
}

export const roundsFor = (durationMs: number): number => Math.ceil((ROUNDS * durationMs) / 1000);

export async function measureInTurns(
  work: TurnedWork,
  { rounds, hasRates, setRecording }: Measurement,
): Promise<Row[]> {
  const { name, turn, tidy } = work;
  const measure = async (kind: Kind): Promise<Turn> => {
    setRecording(kind === 'on');
    const [heap, cpu, startedAt] = [process.memoryUsage().heapUsed, process.cpuUsage(), performance.now()];
    const count = await turn();
    const { user, system } = process.cpuUsage(cpu);
    return {
      micros: (user + system) / count,
      elapsed: ((performance.now() - startedAt) * 1000) / count,
      bytes: (process.memoryUsage().heapUsed - heap) / count,
    };
  };
  const random = new SeededRandom(name);
  const measured: Round[] = [];
  for (let i = -WARM_UP_ROUNDS; i < rounds; i++) {
    const round: Round = { on: [], off: [], control: [] };
    for (const [place, kind] of drawOrder(random).entries()) {
      if (place % TIDY_EVERY === 0) await tidy();
      round[kind].push(await measure(kind));
    }
    if (i >= 0) measured.push(round);
    if (i % 25 === 24) console.error(`  ${name}: ${i + 1} of ${rounds} rounds, ${lostText(measured)}`);
  }
  const rows = rowsOf(work, measured, hasRates);
  for (const row of rows) console.error(`  ${row.work} ${row.value.toFixed(2)} ${row.unit}`);
  return rows;
}

/**
 * The kinds of a round's turns. What a turn costs depends on its place among the others, by more than recording can cost: garbage is
 * collected every so many turns, and in any fixed order that may always be one kind's turn.
 */
function drawOrder(random: SeededRandom): Kind[] {
  const order = (['on', 'off', 'control'] as const).flatMap((kind) => Array.from({ length: TURNS }, () => kind));
  for (let last = order.length - 1; last > 0; last--) {
    const other = random.integer(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  return order;
}

function rowsOf({ name: work, mostLost }: TurnedWork, rounds: readonly Round[], hasRates: boolean): Row[] {
  const [lost, error] = [lostOf(rounds, 'on', 'micros'), lostOf(rounds, 'control', 'micros')];
  const turns = (kind: Kind): Turn[] => rounds.flatMap((round) => round[kind]);
  const allocated = (kind: Kind): number =>
    median(turns(kind).flatMap(({ bytes }) => (bytes > 0 ? [bytes] : []))) / 1024;
  return [
    { work: `${work}: off`, value: costOf(turns('off'), 'micros'), unit: 'µs' },
    {
      work: `${work}: recording takes`,
      value: lost.percent,
      unit: '%',
      ...(mostLost === undefined ? {} : { atMost: mostLost }),
    },
    { work: `${work}: at most, with 95 % confidence`, value: lost.most, unit: '%' },
    { work: `${work}: control, off against off`, value: error.percent, unit: '%' },
    { work: `${work}: control, at most`, value: error.most, unit: '%' },
    { work: `${work}: with collecting garbage`, value: lostInAll(rounds, 'on'), unit: '%' },
    { work: `${work}: with collecting garbage, control`, value: lostInAll(rounds, 'control'), unit: '%' },
    { work: `${work}: allocates, off`, value: allocated('off'), unit: 'KB' },
    { work: `${work}: allocates, on`, value: allocated('on'), unit: 'KB' },
    ...(hasRates
      ? [
          // By the clock: on a machine that does other things these say less than processor time.
          { work: `${work}: rate, off`, value: 1e6 / costOf(turns('off'), 'elapsed'), unit: '/s' },
          { work: `${work}: time that recording takes`, value: lostOf(rounds, 'on', 'elapsed').percent, unit: '%' },
          { work: `${work}: time, control`, value: lostOf(rounds, 'control', 'elapsed').percent, unit: '%' },
        ]
      : []),
  ];
}

type Cost = 'micros' | 'elapsed';

/** The mean of the cheapest turns. */
function costOf(turns: readonly Turn[], cost: Cost): number {
  const sorted = turns.map((turn) => turn[cost]).toSorted((a, b) => a - b);
  return mean(sorted.slice(0, Math.max(1, Math.floor(sorted.length * CHEAPEST))));
}

/**
 * How much more the turns of a kind took than those that do not record. What else the machine does changes by the second: so turns are
 * compared with those of their round only. Collecting garbage takes as long as a turn, in whichever turn it happens: so the cheapest
 * turns of a round are compared, and the result is the median of the rounds; at most so much in 95 % of what chance could have made
 * of the same rounds.
 */
function lostOf(rounds: readonly Round[], kind: Kind, cost: Cost): { percent: number; most: number } {
  const lost = rounds.map((round) => (costOf(round[kind], cost) / costOf(round.off, cost) - 1) * 100);
  const random = new SeededRandom(1);
  const again = (): number[] => lost.map(() => lost[random.integer(lost.length)]!);
  const resampled = Array.from({ length: RESAMPLES }, () => median(again()));
  return { percent: median(lost), most: quantile(resampled, 0.975) };
}

/** Of all turns, with everything that disturbed them: what garbage costs is in it, and much that chance has brought. */
function lostInAll(rounds: readonly Round[], kind: Kind): number {
  const all = (of: Kind): number => mean(rounds.flatMap((round) => round[of].map(({ micros }) => micros)));
  return (all(kind) / all('off') - 1) * 100;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const median = (values: readonly number[]): number => quantile(values, 0.5);

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

const lostText = (rounds: readonly Round[]): string => {
  const { percent, most } = lostOf(rounds, 'on', 'micros');
  const control = lostOf(rounds, 'control', 'micros').percent;
  return `recording takes ${percent.toFixed(1)} %, at most ${most.toFixed(1)} %, control ${control.toFixed(1)} %`;
};
