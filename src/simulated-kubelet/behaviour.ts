/** What simulated pods do. */
import type { Pod } from '../api/generated/core-v1.ts';
import { parseDuration } from '../base/index.ts';
import type { SimulatedPod } from './simulated-pod.ts';

/** Milliseconds, or a duration such as `1m30s`. */
export type Duration = number | string;

/** What a pod uses at a moment, all of its containers together. */
export interface PodUsage {
  /** Cores. */
  readonly cpu: number;
  /** Bytes. */
  readonly memory: number;
}

export interface ExecResult {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exitCode?: number;
}

/** A pod's behaviour as data: everything is optional, and without anything the pod starts at once and runs. */
export interface PodScript {
  /** Until its containers run. */
  readonly startAfter?: Duration;
  /** From then until it is ready; `false`: never. */
  readonly readyAfter?: Duration | false;
  /** How long its containers run; without it, until the pod is deleted. */
  readonly runFor?: Duration;
  /** How they end after `runFor`; default 0. */
  readonly exitCode?: number;
  /** The reason of that end; default Completed or Error. */
  readonly exitReason?: string;
  /** The image cannot be pulled: the containers wait with ErrImagePull for ever. */
  readonly imagePullError?: string;
  /** How long its containers take to end after they were told to; at most the grace period. */
  readonly stopAfter?: Duration;
  /** What it has written to its log once it runs. */
  readonly logs?: string | readonly string[];
  readonly usage?: PodUsage | ((pod: Pod, runningMs: number) => PodUsage);
  /** Answers exec; without it exec is refused. */
  readonly exec?: (command: readonly string[], container: string) => ExecResult | string | Promise<ExecResult | string>;
}

/**
 * A pod's behaviour as a function, called once for each start of its containers. It gives a script; or it acts on its own:
 * then it is asynchronous, calls the pod's methods, and is cut off at its next `sleep` when the pod is deleted. One that
 * gives nothing leaves the pod to the behaviours that were there before it.
 */
export type PodBehaviour = (pod: SimulatedPod) => PodScript | undefined | void | Promise<void>;

/** The script of one pod, as JSON: `{"runFor": "5s", "exitCode": 1}`. */
export const BEHAVIOUR_ANNOTATION = 'simulate.k8ts.dev/behaviour';

const JOB_RUNS_FOR_MS = 1000;

/** Without anything said: pods of Jobs succeed after a second, others run until they are deleted. */
export function defaultScript(pod: Pod): PodScript {
  const annotated = pod.metadata.annotations?.[BEHAVIOUR_ANNOTATION];
  if (annotated !== undefined) return parseScript(annotated);
  return pod.metadata.ownerReferences?.some((owner) => owner.kind === 'Job') ? { runFor: JOB_RUNS_FOR_MS } : RUNS;
}

const RUNS: PodScript = {};
const DURATIONS = ['startAfter', 'readyAfter', 'runFor', 'stopAfter'] as const;

/** Throws with the reason when the text is not a script. */
export function parseScript(text: string): PodScript {
  const script: unknown = JSON.parse(text);
  if (typeof script !== 'object' || script === null || Array.isArray(script))
    throw new Error('a behaviour must be a JSON object');
  const given = script as Record<string, unknown>;
  for (const name of DURATIONS) {
    const value = given[name];
    if (value !== undefined && value !== false) milliseconds(value as Duration);
  }
  return given as PodScript;
}

export function milliseconds(duration: Duration): number {
  return typeof duration === 'number' ? duration : parseDuration(duration);
}
