/** The same work in many short turns, half of which record, and what that costs. */
import { SeededRandom } from '../../src/kernel/index.ts';
import type { Row } from '../harness.ts';

/** Of eight turns each, four of them recording. */
const ROUNDS = 200;
const WARM_UP_ROUNDS = 8;
/**
 * Whether a turn records. What a turn costs depends on its place among the others, by more than recording can cost: garbage is
 * collected after so many turns, and a client that has waited begins slowly. Each kind has each place once.
 */
const ORDER = [true, false, false, true, false, true, true, false];
/** A round without any recording, the control, follows each second one. */
const CONTROL_EVERY = 2;
/** Of the turns, the share that is taken for undisturbed: what one thing costs. */
const CHEAPEST = 0.25;
const RESAMPLES = 1000;
/** What is lost may be at most three percent. How sure that is, the confidence interval shows: it depends on the machine. */
const MOST_LOST = 3;

export interface TurnedWork {
  readonly name: string;
  /** Does some work, and gives how many things it did. */
  turn(): Promise<number>;
  /** Between two rounds: removes what turns have left. */
  tidy(): Promise<void>;
}

/** What one thing cost: processor time of all threads, time, and memory that was allocated for it. */
interface Turn {
  readonly micros: number;
  readonly elapsed: number;
  /** Negative where garbage was collected meanwhile. */
  readonly bytes: number;
}

/** The turns of some rounds; the turns of one round follow each other. */
interface Turns {
  readonly on: Turn[];
  readonly off: Turn[];
}

/** Of each kind. */
const TURNS_OF_ROUND = ORDER.length / 2;

interface Measurement {
  readonly rounds: number;
  /** Rates say nothing where the client is in the process. */
  readonly hasRates: boolean;
  setRecording(isOn: boolean): void;
}

export const roundsFor = (durationMs: number): number => Math.ceil((ROUNDS * durationMs) / 1000);

export async function measureInTurns(
  { name, turn, tidy }: TurnedWork,
  { rounds, hasRates, setRecording }: Measurement,
): Promise<Row[]> {
  const measure = async (records: boolean): Promise<Turn> => {
    setRecording(records);
    const [heap, cpu, startedAt] = [process.memoryUsage().heapUsed, process.cpuUsage(), performance.now()];
    const count = await turn();
    const { user, system } = process.cpuUsage(cpu);
    return {
      micros: (user + system) / count,
      elapsed: ((performance.now() - startedAt) * 1000) / count,
      bytes: (process.memoryUsage().heapUsed - heap) / count,
    };
  };
  const recording: Turns = { on: [], off: [] };
  const control: Turns = { on: [], off: [] };
  for (let i = -WARM_UP_ROUNDS; i < rounds; i++) {
    await round(i < 0 ? { on: [], off: [] } : recording, { measure, tidy });
    if (i >= 0 && i % CONTROL_EVERY === 0) await round(control, { measure: () => measure(false), tidy });
    if (i % 50 === 49) console.error(`  ${name}: ${i + 1} of ${rounds} rounds, ${lostText(recording)}`);
  }
  const rows = rowsOf(name, { recording, control, hasRates });
  for (const row of rows) console.error(`  ${row.work} ${row.value.toFixed(2)} ${row.unit}`);
  return rows;
}

interface RoundSteps {
  measure(records: boolean): Promise<Turn>;
  tidy(): Promise<void>;
}

async function round(turns: Turns, { measure, tidy }: RoundSteps): Promise<void> {
  for (const [place, isOn] of ORDER.entries()) {
    if (place % TURNS_OF_ROUND === 0) await tidy();
    turns[isOn ? 'on' : 'off'].push(await measure(isOn));
  }
}

function rowsOf(
  work: string,
  { recording, control, hasRates }: { recording: Turns; control: Turns; hasRates: boolean },
): Row[] {
  const [lost, error] = [lostOf(recording, 'micros'), lostOf(control, 'micros')];
  const allocated = (turns: readonly Turn[]): number =>
    quantile(
      turns.map(({ bytes }) => bytes).filter((bytes) => bytes > 0),
      0.5,
    ) / 1024;
  return [
    { work: `${work}: off`, value: costOf(recording.off, 'micros'), unit: 'µs' },
    { work: `${work}: recording takes`, value: lost.percent, unit: '%', atMost: MOST_LOST },
    { work: `${work}: at most, with 95 % confidence`, value: lost.most, unit: '%' },
    { work: `${work}: control, off against off`, value: error.percent, unit: '%' },
    { work: `${work}: control, at most`, value: error.most, unit: '%' },
    { work: `${work}: allocates, off`, value: allocated(recording.off), unit: 'KB' },
    { work: `${work}: allocates, on`, value: allocated(recording.on), unit: 'KB' },
    ...(hasRates ? rateRows(work, recording, control) : []),
  ];
}

/** By the clock: on a machine that does other things these say less than processor time. */
function rateRows(work: string, recording: Turns, control: Turns): Row[] {
  return [
    { work: `${work}: rate, off`, value: 1e6 / costOf(recording.off, 'elapsed'), unit: '/s' },
    { work: `${work}: time that recording takes`, value: lostOf(recording, 'elapsed').percent, unit: '%' },
    { work: `${work}: time, control`, value: lostOf(control, 'elapsed').percent, unit: '%' },
  ];
}

type Cost = 'micros' | 'elapsed';

/** The mean of the cheapest turns. */
function costOf(turns: readonly Turn[], cost: Cost): number {
  const sorted = turns.map((turn) => turn[cost]).toSorted((a, b) => a - b);
  const kept = sorted.slice(0, Math.max(1, Math.floor(sorted.length * CHEAPEST)));
  return kept.reduce((sum, value) => sum + value, 0) / kept.length;
}

/**
 * How much more the turns took that recorded: the median over the rounds. What else the machine does changes by the second, and a round
 * lasts for some milliseconds: so its turns are compared with each other, not with those of other rounds. At most so much in 95 % of
 * what chance could have made of the same rounds.
 */
function lostOf({ on, off }: Turns, cost: Cost): { percent: number; most: number } {
  const sumOf = (turns: readonly Turn[], round: number): number =>
    turns.slice(round * TURNS_OF_ROUND, (round + 1) * TURNS_OF_ROUND).reduce((sum, turn) => sum + turn[cost], 0);
  const rounds = Array.from(
    { length: Math.floor(on.length / TURNS_OF_ROUND) },
    (_, i) => (sumOf(on, i) / sumOf(off, i) - 1) * 100,
  );
  const random = new SeededRandom(1);
  const again = (): number[] => rounds.map(() => rounds[random.integer(rounds.length)]!);
  const resampled = Array.from({ length: RESAMPLES }, () => quantile(again(), 0.5));
  return { percent: quantile(rounds, 0.5), most: quantile(resampled, 0.975) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

const lostText = (turns: Turns): string => {
  const { percent, most } = lostOf(turns, 'micros');
  return `recording takes ${percent.toFixed(1)} %, at most ${most.toFixed(1)} %`;
};
