/** spec.behavior: stabilization windows and scaling policies. */
import type { HorizontalPodAutoscaler, HPAScalingRules } from '../../api/generated/autoscaling-v2.ts';

const DEFAULT_UP: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const DEFAULT_DOWN: HPAScalingRules = {
  stabilizationWindowSeconds: 300,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

interface ScaleEvent {
  readonly at: number;
  /** Replicas added, or removed where negative. */
  readonly change: number;
}

interface Recommendation {
  readonly at: number;
  readonly replicas: number;
}

/** The history of an autoscaler between syncs. */
export interface ScalingHistory {
  readonly recommendations: Recommendation[];
  readonly events: ScaleEvent[];
}

interface Limited {
  readonly replicas: number;
  readonly ableToScale: readonly [reason: string, message: string];
  readonly scalingLimited: readonly [status: 'True' | 'False', reason: string, message: string];
}

/** `downscaleStabilizationSeconds`: the default window for scaling down. */
export function scalingRules(
  { spec }: HorizontalPodAutoscaler,
  downscaleStabilizationSeconds = DEFAULT_DOWN.stabilizationWindowSeconds,
): { up: HPAScalingRules; down: HPAScalingRules } {
  const present = (rules: HPAScalingRules | undefined): HPAScalingRules =>
    Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== undefined && value !== null));
  return {
    up: { ...DEFAULT_UP, ...present(spec.behavior?.scaleUp) },
    down: {
      ...DEFAULT_DOWN,
      stabilizationWindowSeconds: downscaleStabilizationSeconds,
      ...present(spec.behavior?.scaleDown),
    },
  };
}

interface WantedSize {
  readonly current: number;
  readonly wanted: number;
  readonly now: number;
  readonly downscaleStabilizationSeconds?: number;
}

/** The proposed replicas after stabilization, scaling policies, minReplicas and maxReplicas. */
export function limitReplicas(
  autoscaler: HorizontalPodAutoscaler,
  history: ScalingHistory,
  { current, wanted, now, downscaleStabilizationSeconds }: WantedSize,
): Limited {
  const { up, down } = scalingRules(autoscaler, downscaleStabilizationSeconds);
  const steady = stabilised(history, { up, down, current, wanted, now });
  history.recommendations.push({ at: now, replicas: wanted });
  const longest = Math.max(up.stabilizationWindowSeconds ?? 0, down.stabilizationWindowSeconds ?? 0) * 1000;
  history.recommendations.splice(
    0,
    history.recommendations.findIndex(({ at }) => at >= now - longest),
  );
  const { minReplicas = 1, maxReplicas } = autoscaler.spec;
  if (steady.replicas > current) {
    const limit = Math.max(current, rateLimit(up, history, { current, now, direction: 1 }));
    const most = Math.min(maxReplicas, limit);
    if (steady.replicas > most) {
      const scalingLimited =
        limit < maxReplicas
          ? ([
              'True',
              'ScaleUpLimit',
              'the desired replica count is increasing faster than the maximum scale rate',
            ] as const)
          : (['True', 'TooManyReplicas', 'the desired replica count is more than the maximum replica count'] as const);
      return { ...steady, replicas: most, scalingLimited };
    }
  } else if (steady.replicas < current) {
    const limit = Math.min(current, rateLimit(down, history, { current, now, direction: -1 }));
    const least = Math.max(minReplicas, limit);
    if (steady.replicas < least) {
      const scalingLimited =
        limit > minReplicas
          ? ([
              'True',
              'ScaleDownLimit',
              'the desired replica count is decreasing faster than the maximum scale rate',
            ] as const)
          : (['True', 'TooFewReplicas', 'the desired replica count is less than the minimum replica count'] as const);
      return { ...steady, replicas: least, scalingLimited };
    }
  }
  return {
    ...steady,
    scalingLimited: ['False', 'DesiredWithinRange', 'the desired count is within the acceptable range'],
  };
}

/** Scaling up uses the lowest recent recommendation, scaling down the highest. */
function stabilised(
  { recommendations }: ScalingHistory,
  {
    up,
    down,
    current,
    wanted,
    now,
  }: { up: HPAScalingRules; down: HPAScalingRules; current: number; wanted: number; now: number },
): Pick<Limited, 'replicas' | 'ableToScale'> {
  const recent = (rules: HPAScalingRules): number[] =>
    recommendations
      .filter(({ at }) => at > now - (rules.stabilizationWindowSeconds ?? 0) * 1000)
      .map(({ replicas }) => replicas);
  const lowest = Math.min(wanted, ...recent(up));
  const highest = Math.max(wanted, ...recent(down));
  let replicas = current;
  if (replicas < lowest) replicas = lowest;
  if (replicas > highest) replicas = highest;
  if (replicas === wanted)
    return { replicas, ableToScale: ['ReadyForNewScale', 'recommended size matches current size'] };
  if (wanted > replicas)
    return {
      replicas,
      ableToScale: [
        'ScaleUpStabilized',
        'recent recommendations were lower than current one, applying the lowest recent recommendation',
      ],
    };
  return {
    replicas,
    ableToScale: [
      'ScaleDownStabilized',
      'recent recommendations were higher than current one, applying the highest recent recommendation',
    ],
  };
}

function rateLimit(
  { selectPolicy = 'Max', policies = [] }: HPAScalingRules,
  { events }: ScalingHistory,
  { current, now, direction }: { current: number; now: number; direction: 1 | -1 },
): number {
  if (selectPolicy === 'Disabled') return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const changed = events
      .filter(({ at }) => at > now - periodSeconds * 1000)
      .reduce((sum, { change }) => sum + change, 0);
    const atStart = current - changed;
    if (type === 'Pods') return atStart + direction * value;
    const scaled = atStart * (1 + (direction * value) / 100);
    return direction === 1 ? Math.ceil(scaled) : Math.trunc(scaled);
  });
  const furthest = selectPolicy === 'Max';
  return (direction === 1) === furthest ? Math.max(...limits) : Math.min(...limits);
}
