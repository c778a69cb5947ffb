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
import { MAX_TURN_MS, type TurnWatchdog } from './turn-watchdog.ts';

const SEED = process.env['K8TS_HOSTILE_SEED'] ?? 'k8ts';
const ONLY = process.env['K8TS_HOSTILE_REQUEST'];
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

export const requestsFor = (target: Target): number => (everything ? LONG_FORM[target] : Math.max(AT_LEAST, Math.round(LONG_FORM[target] / 100)));

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
  const seeds = ONLY === undefined ? Array.from({ length: count }, (_, number) => `${prefix}-${number}`) : [ONLY].filter((seed) => seed.startsWith(`${target}-`));
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
    if (turn > MAX_TURN_MS) problems.push(...(await longTurnsOf(barrage, batch)));
  }
  console.log(`${target}: ${seeds.length} requests of seed ${SEED}, longest turn ${longestTurnMs.toFixed(0)} ms, ${problems.length} answered badly`);
  return { sent: seeds.length, problems, longestTurnMs };
}

/** Requests that came together share a turn. Each is sent alone, to see which of them takes one that is too long. */
async function longTurnsOf({ turns, send }: Barrage, seeds: readonly string[]): Promise<string[]> {
  const alone = async (seed: string): Promise<number> => {
    await turns!.reset();
    await send(new SeededRandom(seed));
    return turns!.longestTurnMs();
  };
  const found: string[] = [];
  for (const seed of seeds) {
    let least = Infinity;
    // The compiler or the garbage collector may have had its turn: what counts is what it takes at least.
    for (let tries = 0; tries < 3 && least > MAX_TURN_MS; tries++) least = Math.min(least, await alone(seed));
    if (least > MAX_TURN_MS) found.push(`${seed}: a turn of ${least.toFixed(0)} ms`);
  }
  return found;
}
