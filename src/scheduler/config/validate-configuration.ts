/** Validates a KubeSchedulerConfiguration, with upstream's messages. */
import {
  aggregateMessage,
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../machinery/errors/index.ts';
import type { ScoringStrategy, UtilizationShapePoint } from '../plugins/node-resources-fit/scoring-strategy.ts';
import { SchedulerConfigurationError } from './strict-fields.ts';
import type { ProfileConfiguration, SchedulerConfiguration } from './types.ts';

/** Throws with every problem in it, in upstream's words. */
export function validateConfiguration(config: SchedulerConfiguration): void {
  const errors: FieldError[] = [];
  if (config.parallelism <= 0)
    errors.push(invalidValue(path('parallelism'), config.parallelism, 'should be an integer value greater than zero'));
  validateProfiles(config.profiles, errors);
  validatePercentage(config.percentageOfNodesToScore, path('percentageOfNodesToScore'), errors);
  if (config.podInitialBackoffSeconds <= 0)
    errors.push(
      invalidValue(path('podInitialBackoffSeconds'), config.podInitialBackoffSeconds, 'must be greater than 0'),
    );
  if (config.podMaxBackoffSeconds < config.podInitialBackoffSeconds) {
    errors.push(
      invalidValue(
        path('podMaxBackoffSeconds'),
        config.podMaxBackoffSeconds,
        'must be greater than or equal to PodInitialBackoffSeconds',
      ),
    );
  }
  validateExtenders(config, errors);
  if (errors.length > 0) throw new SchedulerConfigurationError(aggregateMessage(errors));
}

function validatePercentage(percentage: number | undefined, at: Path, errors: FieldError[]): void {
  if (percentage !== undefined && (percentage < 0 || percentage > 100))
    errors.push(invalidValue(at, percentage, 'not in valid range [0-100]'));
}

function validateProfiles(profiles: readonly ProfileConfiguration[], errors: FieldError[]): void {
  if (profiles.length === 0) errors.push(required(path('profiles')));
  const seen = new Set<string>();
  profiles.forEach((profile, i) => {
    const at = path('profiles').index(i);
    if (profile.schedulerName === '') errors.push(required(at.child('schedulerName')));
    if (seen.has(profile.schedulerName)) errors.push(duplicate(at.child('schedulerName'), profile.schedulerName));
    seen.add(profile.schedulerName);
    validatePercentage(profile.percentageOfNodesToScore, at.child('percentageOfNodesToScore'), errors);
    validateArgs(profile, at.child('pluginConfig'), errors);
    if (i > 0 && JSON.stringify(profiles[0]!.plugins.queueSort) !== JSON.stringify(profile.plugins.queueSort)) {
      errors.push(
        invalidValue(
          at.child('plugins', 'queueSort'),
          profile.plugins.queueSort,
          'queueSort must be the same for all profiles',
        ),
      );
    }
  });
}

function validateArgs({ pluginConfig }: ProfileConfiguration, at: Path, errors: FieldError[]): void {
  const preemption = pluginConfig.get('DefaultPreemption');
  const percentage = preemption?.['minCandidateNodesPercentage'] as number | undefined;
  if (percentage !== undefined && (percentage < 0 || percentage > 100))
    errors.push(
      invalidValue(
        at.key('DefaultPreemption').child('minCandidateNodesPercentage'),
        percentage,
        'not in valid range [0, 100]',
      ),
    );
  const weight = pluginConfig.get('InterPodAffinity')?.['hardPodAffinityWeight'] as number | undefined;
  if (weight !== undefined && (weight < 0 || weight > 100))
    errors.push(
      invalidValue(at.key('InterPodAffinity').child('hardPodAffinityWeight'), weight, 'not in valid range [0, 100]'),
    );
  const spread = pluginConfig.get('PodTopologySpread');
  const defaulting = spread?.['defaultingType'] as string | undefined;
  if (defaulting !== undefined && !['List', 'System'].includes(defaulting))
    errors.push(notSupported(at.key('PodTopologySpread').child('defaultingType'), defaulting, ['List', 'System']));
  if (
    (defaulting ?? 'System') === 'System' &&
    Array.isArray(spread?.['defaultConstraints']) &&
    spread['defaultConstraints'].length > 0
  ) {
    errors.push(
      invalidValue(
        at.key('PodTopologySpread').child('defaultingType'),
        'System',
        'when .defaultConstraints are not empty',
      ),
    );
  }
  validateStrategy(
    pluginConfig.get('NodeResourcesFit')?.['scoringStrategy'] as ScoringStrategy | undefined,
    at.key('NodeResourcesFit').child('scoringStrategy'),
    errors,
  );
  const timeout = pluginConfig.get('VolumeBinding')?.['bindTimeoutSeconds'] as number | undefined;
  if (timeout !== undefined && timeout < 0)
    errors.push(
      invalidValue(
        at.key('VolumeBinding').child('bindTimeoutSeconds'),
        timeout,
        'invalid BindTimeoutSeconds, should not be a negative value',
      ),
    );
  validateShape(
    (pluginConfig.get('VolumeBinding')?.['shape'] as UtilizationShapePoint[] | undefined) ?? [],
    at.key('VolumeBinding').child('shape'),
    errors,
  );
}

function validateStrategy(strategy: ScoringStrategy | undefined, at: Path, errors: FieldError[]): void {
  if (strategy === undefined) return;
  const types = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];
  if (!types.includes(strategy.type)) errors.push(notSupported(at.child('type'), strategy.type, types));
  (strategy.resources ?? []).forEach(({ name, weight }, i) => {
    if (weight < 1 || weight > 100)
      errors.push(
        invalidValue(
          at.child('resources').index(i).child('weight'),
          weight,
          `resource weight of ${name} not in valid range [1, 100]`,
        ),
      );
  });
  if (strategy.type !== 'RequestedToCapacityRatio') return;
  const shape = strategy.requestedToCapacityRatio?.shape ?? [];
  if (shape.length === 0)
    errors.push(required(at.child('requestedToCapacityRatio', 'shape'), 'at least one point must be specified'));
  validateShape(shape, at.child('requestedToCapacityRatio', 'shape'), errors);
}

function validateShape(shape: readonly UtilizationShapePoint[], at: Path, errors: FieldError[]): void {
  shape.forEach(({ utilization, score }, i) => {
    const point = at.index(i);
    if (utilization < 0 || utilization > 100)
      errors.push(invalidValue(point.child('utilization'), utilization, 'not in valid range [0, 100]'));
    if (i > 0 && utilization <= shape[i - 1]!.utilization)
      errors.push(
        invalidValue(point.child('utilization'), utilization, 'utilization values must be sorted in increasing order'),
      );
    if (score < 0 || score > 10) errors.push(invalidValue(point.child('score'), score, 'not in valid range [0, 10]'));
  });
}

function validateExtenders({ extenders }: SchedulerConfiguration, errors: FieldError[]): void {
  const managed = new Set<string>();
  extenders.forEach((extender, i) => {
    const at = path('extenders').index(i);
    if (extender.prioritizeVerb !== '' && extender.weight <= 0)
      errors.push(invalidValue(at.child('weight'), extender.weight, 'must have a positive weight applied to it'));
    extender.managedResources.forEach(({ name }, j) => {
      if (managed.has(name))
        errors.push(
          invalidValue(
            at.child('managedResources').index(j).child('name'),
            name,
            'duplicate extender managed resource name',
          ),
        );
      managed.add(name);
    });
  });
  const binders = extenders.filter((e) => e.bindVerb !== '').length;
  if (binders > 1)
    errors.push(
      invalidValue(
        path('extenders'),
        `found ${binders} extenders implementing bind`,
        'only one extender can implement bind',
      ),
    );
}
