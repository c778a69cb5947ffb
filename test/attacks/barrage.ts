/**
 * Hostile requests from seeds. Each request is made of its own seed, `NAME-SEED-NUMBER`, so one that was answered badly
 * can be sent again alone:
 *
 *   K8TS_HOSTILE_REQUEST=api-admin-k8ts-4711 npx vitest run test/attacks/hostile-requests.test.ts
 *
 * K8TS_HOSTILE_SEED=other sends other requests than the last run did.
 */
import { SeededRandom, type Random } from '../../src/kernel/index.ts';
import { everything } from '../requires.ts';
import { ALLOWANCE, MAX_TURN_MS, type TurnWatchdog } from './turn-watchdog.ts';

const SEED = process.env['K8TS_HOSTILE_SEED'] ?? 'k8ts';
const ONLY = process.env['K8TS_HOSTILE_REQUEST'];
const LONGEST_TURN_MS = MAX_TURN_MS * ALLOWANCE;
const BATCH = 250;
const MOST_REPORTED = 20;

/** How many requests each target gets in the long form; 100,000 together. The short form sends a hundredth, and at least `AT_LEAST`. */
const LONG_FORM = {
  'api-admin': 30_000,
  'api-guest': 12_000,
  'api-anonymous': 6_000,
  'api-http1': 9_000,
  'api-http2': 9_000,
  etcd: 8_000,
  'etcd-http': 3_000,
  kubelet: 6_000,
  streaming: 3_000,
  'streaming-session': 2_000,
  'cri-socket': 2_000,
  'control-socket': 3_000,
  'component-server': 3_000,
  'kube-proxy': 1_000,
  ingress: 1_000,
  dns: 2_000,
} as const;

export type Target = keyof typeof LONG_FORM;

const AT_LEAST = 150;

export const requestsFor = (target: Target): number =>
  everything ? LONG_FORM[target] : Math.max(AT_LEAST, Math.round(LONG_FORM[target] / 100));

export interface Barrage {
  readonly target: Target;
  /** Requests at the same time. */
  readonly lanes?: number;
  /** Sends the request of this chance. Gives what was wrong with the answer, undefined when nothing was. */
  send(random: Random): Promise<string | undefined>;
  /** Without it turns are not measured. */
  readonly turns?: TurnWatchdog;
  readonly count?: number;
  /** Tells that the process is no more, with its last words; nobody waits for its turns then. */
  ended?(): string | undefined;
  /** Where the story needs something again that hostile requests may have removed. */
  between?(): Promise<void>;
}

export interface BarrageResult {
  readonly sent: number;
  /** What was wrong, with the seed of the request. */
  readonly problems: readonly string[];
  readonly longestTurnMs: number;
}

export async function fire(barrage: Barrage): Promise<BarrageResult> {
  const { target, count = requestsFor(target) } = barrage;
  const prefix = `${target}-${SEED}`;
  const problems: string[] = [];
  let longestTurnMs = 0;
  const sendAll = async (seeds: readonly string[], lanes: number): Promise<void> => {
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let seed = seeds[next++]; seed !== undefined; seed = seeds[next++]) {
        const problem = await barrage.send(new SeededRandom(seed));
        if (problem !== undefined) problems.push(`${seed}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };
  const seeds =
    ONLY === undefined
      ? Array.from({ length: count }, (_, number) => `${prefix}-${number}`)
      : [ONLY].filter((seed) => seed.startsWith(`${target}-`));
  for (let from = 0; from < seeds.length && problems.length < MOST_REPORTED; from += BATCH) {
    const batch = seeds.slice(from, from + BATCH);
    await barrage.between?.();
    await barrage.turns?.reset();
    await sendAll(batch, barrage.lanes ?? 8);
    const ended = barrage.ended?.();
    if (ended !== undefined) {
      problems.push(`${batch[0]} or one of the next ${BATCH} ended the process: ${ended}`);
      break;
    }
    const turn = (await barrage.turns?.longestTurnMs()) ?? 0;
    longestTurnMs = Math.max(longestTurnMs, turn);
    if (turn > LONGEST_TURN_MS) problems.push(...(await longTurnsOf(barrage, batch)));
  }
  console.log(
    `${target}: ${seeds.length} requests of seed ${SEED}, longest turn ${longestTurnMs.toFixed(0)} ms, ${problems.length} answered badly`,
  );
  for (const problem of problems) console.log(problem);
  return { sent: seeds.length, problems, longestTurnMs };
}

/**
 * Requests that came together share a turn: they are sent again one after the other, and where that still takes too long,
 * each half of them by itself, down to the request that takes it.
 */
async function longTurnsOf(barrage: Barrage, seeds: readonly string[]): Promise<string[]> {
  const { send } = barrage;
  const turns = barrage.turns!;
  let least = Infinity;
  // The compiler or the garbage collector may have had its turn: what counts is what one request takes at least.
  for (let tries = seeds.length === 1 ? 3 : 1; tries > 0 && least > LONGEST_TURN_MS; tries--) {
    await turns.reset();
    for (const seed of seeds) await send(new SeededRandom(seed));
    least = Math.min(least, await turns.longestTurnMs());
  }
  if (least <= LONGEST_TURN_MS) return [];
  if (seeds.length === 1) return [`${seeds[0]}: a turn of ${least.toFixed(0)} ms`];
  const half = Math.ceil(seeds.length / 2);
  return [...(await longTurnsOf(barrage, seeds.slice(0, half))), ...(await longTurnsOf(barrage, seeds.slice(half)))];
}
