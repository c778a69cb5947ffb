/** The metrics that every component of Kubernetes has: its version, its feature gates, its process. */
import {
  BINARY_EFFECTIVE_VERSION,
  KUBERNETES_MAJOR,
  KUBERNETES_VERSION,
  VERSION,
  type EffectiveVersion,
} from '../api/kubernetes-version.ts';
import { registerProcessMetrics, type Context } from '../kernel/index.ts';
import { gateStates } from '../machinery/index.ts';

interface ComponentVersion {
  readonly gitVersion?: string;
  readonly effectiveVersion?: EffectiveVersion | undefined;
  /** Feature gates that differ from their defaults. */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined;
}

export function registerComponentMetrics(
  { metrics, clock }: Pick<Context, 'metrics' | 'clock'>,
  {
    gitVersion = KUBERNETES_VERSION,
    effectiveVersion = BINARY_EFFECTIVE_VERSION,
    featureGates = {},
  }: ComponentVersion = {},
): void {
  registerProcessMetrics(metrics, clock);
  const build = {
    build_date: VERSION.buildDate,
    compiler: VERSION.compiler,
    git_commit: VERSION.gitCommit,
    git_tree_state: VERSION.gitTreeState,
    git_version: gitVersion,
    go_version: VERSION.goVersion,
    major: VERSION.major,
    minor: VERSION.minor,
    platform: VERSION.platform,
  };
  metrics
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Always 1, with the version of the program in its labels.',
      labels: Object.keys(build) as (keyof typeof build)[],
    })
    .set(1, build);
  metrics
    .gauge({
      name: 'version_info',
      help: 'Always 1, with the versions that the component is compatible with in its labels.',
      labels: ['binary', 'component', 'emulation', 'min_compat'],
    })
    .set(1, {
      binary: KUBERNETES_VERSION.slice(1),
      component: 'kube',
      emulation: `${KUBERNETES_MAJOR}.${effectiveVersion.emulation}`,
      min_compat: `${KUBERNETES_MAJOR}.${effectiveVersion.minCompatibility}`,
    });
  metrics
    .gauge({
      name: 'kubernetes_feature_enabled',
      help: 'Whether a feature gate is on, with its stage.',
      labels: ['name', 'stage'],
    })
    .collectEach(() =>
      gateStates(featureGates, effectiveVersion).map(({ name, stage, enabled }) => ({
        labels: { name, stage },
        value: enabled ? 1 : 0,
      })),
    );
  // No metric is hidden, and the values of labels are not limited. The context counts those that are disabled.
  for (const [name, help] of MOSTLY_ZERO) metrics.counter({ name, help });
}

const MOSTLY_ZERO = [
  ['hidden_metrics_total', 'Number of metrics that are hidden because they are deprecated.'],
  ['disabled_metrics_total', 'Number of metrics that were disabled by a flag.'],
  ['cardinality_enforcement_unexpected_categorizations_total', 'Number of values of labels that were not expected.'],
] as const;
