/**
 * PodScript: what a simulated pod does, as data. It comes from a behaviour, from the pod's annotation, or is the
 * default.
 */
import type { Pod } from '../api/generated/core-v1.ts';
import { parseDuration } from '../base/index.ts';
import { commandOutcome, waitsForEver } from './container-command.ts';
import { imageProblem } from './simulated-image.ts';

/** Milliseconds, or a duration such as `1m30s`. */
export type Duration = number | string;

/** The usage of all containers of a pod together. */
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

/** What one container does. */
interface ContainerScript {
  readonly runFor?: Duration;
  readonly exitCode?: number;
  readonly logs?: readonly string[];
}

/** All fields are optional: with an empty script the pod starts at once and runs until it is deleted. */
export interface PodScript {
  /** How long the pod stays Pending. */
  readonly startAfter?: Duration;
  /** How long after the start the pod becomes ready, `false` for never; default the initial delay of its readiness probes. */
  readonly readyAfter?: Duration | false;
  /** How long its containers run; without it, until the pod is deleted. */
  readonly runFor?: Duration;
  /** The exit code after `runFor`; default 0. */
  readonly exitCode?: number;
  /** What single containers do, by name, instead of `runFor` and `exitCode`. */
  readonly containers?: Readonly<Record<string, ContainerScript>>;
  /** The reason of the terminated state; default Completed or Error. */
  readonly exitReason?: string;
  /** The image cannot be pulled: the containers wait with ErrImagePull and this message. */
  readonly imagePullError?: string;
  /** The reason why the containers wait after `imagePullError`; default ErrImagePull. */
  readonly imagePullReason?: string;
  /** How long the containers take to stop when the pod is deleted; at most the grace period. */
  readonly stopAfter?: Duration;
  /** Lines that the containers log when they start. */
  readonly logs?: string | readonly string[];
  readonly usage?: PodUsage | ((pod: Pod, runningMs: number) => PodUsage);
  /** Handles `kubectl exec`; without it exec is refused. */
  readonly exec?: (command: readonly string[], container: string) => ExecResult | string | Promise<ExecResult | string>;
}

/** Holds the pod's script as JSON: `{"runFor": "5s", "exitCode": 1}`. */
export const BEHAVIOUR_ANNOTATION = 'simulate.k8ts.dev/behaviour';

const JOB_RUN_MS = 1000;

/**
 * The script in the pod's annotation. Without one, containers do what their commands say, where these are simulated (see
 * container-command.ts); of the others, those of Jobs succeed after a second unless they only wait, and the rest runs until
 * deleted.
 */
export function defaultScript(pod: Pod): PodScript {
  const annotated = pod.metadata.annotations?.[BEHAVIOUR_ANNOTATION];
  if (annotated !== undefined) return parseScript(annotated);
  const own = pod.spec?.containers ?? [];
  for (const { image = '' } of own) {
    const problem = imageProblem(image);
    if (problem) return { imagePullError: problem.message, imagePullReason: problem.reason };
  }
  const ofJob = pod.metadata.ownerReferences?.some((owner) => owner.kind === 'Job') ?? false;
  const scripts = own.flatMap((container): [string, ContainerScript][] => {
    const outcome = commandOutcome(container);
    if (outcome) return [[container.name, { runFor: outcome.runMs, exitCode: outcome.exitCode, logs: outcome.output }]];
    return ofJob && !waitsForEver(container) ? [[container.name, { runFor: JOB_RUN_MS }]] : [];
  });
  return scripts.length > 0 ? { containers: Object.fromEntries(scripts) } : RUN_UNTIL_DELETED;
}

const RUN_UNTIL_DELETED: PodScript = {};
const DURATIONS = ['startAfter', 'readyAfter', 'runFor', 'stopAfter'] as const;

/** Throws when the text is not a script. */
function parseScript(text: string): PodScript {
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
