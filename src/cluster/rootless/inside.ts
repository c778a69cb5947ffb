/** What the process in the namespaces is told by the one outside, in environment variables. */

export interface Inside {
  /** The process outside, which users see and signal. */
  readonly pid: number;
  readonly runtimeDirectory: string;
  readonly socket: string;
  /** Whether a delegated cgroup is mounted, so that limits can be enforced. */
  readonly limits: boolean;
}

export const INSIDE_VARIABLE = 'K8TS_ROOTLESS';
/** Set by the script that mounts the delegated cgroup. */
export const LIMITS_VARIABLE = 'K8TS_ROOTLESS_LIMITS';

/** Undefined in a process that nobody has put into namespaces. */
export function insideNamespaces(environment: NodeJS.ProcessEnv = process.env): Inside | undefined {
  const text = environment[INSIDE_VARIABLE];
  if (text === undefined || text === '') return undefined;
  // Written by `run-in-namespaces.ts`.
  return { ...(JSON.parse(text) as Omit<Inside, 'limits'>), limits: environment[LIMITS_VARIABLE] === '1' };
}
