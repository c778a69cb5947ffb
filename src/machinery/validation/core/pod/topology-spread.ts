/** Validates topologySpreadConstraints. */
import type { TopologySpreadConstraint } from '../../../../api/generated/core-v1.ts';
import { duplicate, type FieldError, invalidValue, notSupported, type Path, required } from '../../../errors/index.ts';
import { validateLabelSelector } from '../../label-selector.ts';
import { validateMatchLabelKeys } from './affinity.ts';
import type { PodRules } from './pod-rules.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const NODE_POLICIES = ['Honor', 'Ignore'];

export function validateTopologySpreadConstraints(
  errors: FieldError[],
  constraints: readonly TopologySpreadConstraint[],
  at: Path,
  rules: PodRules,
): void {
  for (const [i, constraint] of constraints.entries()) {
    const here = at.index(i);
    validateConstraint(errors, constraint, here);
    const { topologyKey = '', whenUnsatisfiable = '' } = constraint;
    const repeated = constraints
      .slice(i + 1)
      .some(
        (other) => (other.topologyKey ?? '') === topologyKey && (other.whenUnsatisfiable ?? '') === whenUnsatisfiable,
      );
    if (repeated)
      errors.push(duplicate(here.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`));
    validateMinDomains(errors, constraint, here.child('minDomains'));
    validateNodePolicy(errors, constraint.nodeAffinityPolicy, here.child('nodeAffinityPolicy'));
    validateNodePolicy(errors, constraint.nodeTaintsPolicy, here.child('nodeTaintsPolicy'));
    validateMatchLabelKeys(errors, constraint, here);
    if (!rules.allowInvalidTopologySpreadSelector)
      validateLabelSelector(errors, constraint.labelSelector, here.child('labelSelector'));
  }
}

function validateConstraint(
  errors: FieldError[],
  { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' }: TopologySpreadConstraint,
  at: Path,
): void {
  if (maxSkew <= 0) errors.push(invalidValue(at.child('maxSkew'), maxSkew, 'must be greater than zero'));
  if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'));
  if (!ACTIONS.includes(whenUnsatisfiable))
    errors.push(notSupported(at.child('whenUnsatisfiable'), whenUnsatisfiable, ACTIONS));
}

function validateMinDomains(
  errors: FieldError[],
  { minDomains, whenUnsatisfiable = '' }: TopologySpreadConstraint,
  at: Path,
): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) errors.push(invalidValue(at, minDomains, 'must be greater than zero'));
  if (whenUnsatisfiable !== 'DoNotSchedule') {
    errors.push(
      invalidValue(
        at,
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
      ),
    );
  }
}

function validateNodePolicy(errors: FieldError[], policy: string | undefined, at: Path): void {
  if (policy !== undefined && !NODE_POLICIES.includes(policy)) errors.push(notSupported(at, policy, NODE_POLICIES));
}
