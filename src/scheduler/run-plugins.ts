/** Runs the plugins of Reserve, Permit, PreBind and Bind. */
import type { PodInfo } from './cache/pod-info.ts';
import type { CycleState } from './framework/cycle-state.ts';
import type { Profile } from './framework/profile.ts';
import { errorStatus, Status } from './framework/status.ts';

/** The longest that a Permit plugin may let a pod wait. */
const MAX_PERMIT_MS = 15 * 60_000;

export function runReserves(profile: Profile, state: CycleState, pod: PodInfo, nodeName: string): Status | undefined {
  const { meter, plugins } = profile;
  const startedAt = meter.start();
  let rejected: Status | undefined;
  for (const plugin of plugins.reserve) {
    const pluginStartedAt = meter.start();
    rejected = catchingErrors(() => plugin.reserve?.(state, pod, nodeName))?.from(plugin.name);
    meter.plugin(plugin.name, 'Reserve', pluginStartedAt, rejected?.code);
    if (rejected !== undefined) break;
  }
  meter.point('Reserve', startedAt, rejected?.code);
  return rejected;
}

/** In the reverse order of Reserve. It is called for plugins whose Reserve did not run, too. */
export function unreserve(profile: Profile, state: CycleState, pod: PodInfo, nodeName: string): void {
  const startedAt = profile.meter.start();
  for (const plugin of [...profile.plugins.reserve].reverse()) plugin.unreserve?.(state, pod, nodeName);
  profile.meter.point('Unreserve', startedAt);
}

interface PermitOutcome {
  readonly status: Status | undefined;
  /** How long the pod may wait for each plugin. */
  readonly timeouts: Map<string, number>;
}

export function runPermits(profile: Profile, state: CycleState, pod: PodInfo, nodeName: string): PermitOutcome {
  const startedAt = profile.meter.start();
  const outcome = runPermitPlugins(profile, state, pod, nodeName);
  profile.meter.point('Permit', startedAt, outcome.status?.code);
  return outcome;
}

function runPermitPlugins(profile: Profile, state: CycleState, pod: PodInfo, nodeName: string): PermitOutcome {
  const timeouts = new Map<string, number>();
  for (const plugin of profile.plugins.permit) {
    let answer: { status: Status | undefined; timeoutMs?: number };
    const startedAt = profile.meter.start();
    try {
      answer = plugin.permit!(state, pod, nodeName);
    } catch (error) {
      return { status: errorStatus(error).from(plugin.name), timeouts };
    }
    profile.meter.plugin(plugin.name, 'Permit', startedAt, answer.status?.code);
    if (answer.status === undefined) continue;
    if (answer.status.code !== 'Wait') return { status: answer.status.from(plugin.name), timeouts };
    timeouts.set(plugin.name, Math.min(answer.timeoutMs ?? MAX_PERMIT_MS, MAX_PERMIT_MS));
  }
  return { status: timeouts.size > 0 ? new Status('Wait') : undefined, timeouts };
}

export async function runPreBinds(
  profile: Profile,
  options: { state: CycleState; pod: PodInfo; nodeName: string; signal: AbortSignal },
): Promise<Status | undefined> {
  const { state, pod, nodeName, signal } = options;
  const { meter, plugins } = profile;
  const startedAt = meter.start();
  let failed: Status | undefined;
  for (const plugin of plugins.preBind) {
    if (plugin.preBindNeeded?.(state, pod, nodeName) === false) continue;
    const pluginStartedAt = meter.start();
    const status = await plugin.preBind!(state, pod, nodeName, signal).catch((error: unknown) => errorStatus(error));
    meter.plugin(plugin.name, 'PreBind', pluginStartedAt, status?.code);
    if (status === undefined || status.code === 'Skip') continue;
    failed = status.from(plugin.name);
    break;
  }
  meter.point('PreBind', startedAt, failed?.code);
  return failed;
}

export async function runBinds(
  profile: Profile,
  options: { state: CycleState; pod: PodInfo; nodeName: string; signal: AbortSignal },
): Promise<Status | undefined> {
  const { state, pod, nodeName, signal } = options;
  const { meter, plugins } = profile;
  const startedAt = meter.start();
  for (const plugin of plugins.bind) {
    const pluginStartedAt = meter.start();
    const status = await plugin.bind!(state, pod, nodeName, signal).catch((error: unknown) => errorStatus(error));
    meter.plugin(plugin.name, 'Bind', pluginStartedAt, status?.code);
    if (status?.code === 'Skip') continue;
    meter.point('Bind', startedAt, status?.code);
    return status?.from(plugin.name);
  }
  return new Status('Error', ['no bind plugin bound the pod']);
}

function catchingErrors(call: () => Status | undefined): Status | undefined {
  try {
    return call();
  } catch (error) {
    return errorStatus(error);
  }
}
