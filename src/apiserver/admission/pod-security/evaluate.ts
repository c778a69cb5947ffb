/** Evaluates a pod against a level and version of the Pod Security Standards. */
import type { PodSpec } from '../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { BASELINE_CHECKS } from './baseline-checks.ts';
import type { Check, CheckPod, VersionedCheck, Violation } from './check.ts';
import type { LevelVersion } from './policy.ts';
import { RESTRICTED_CHECKS } from './restricted-checks.ts';

/** Later versions have the same checks as this one. */
const LATEST = 36;

const checksByPolicy = new Map<string, readonly CheckPod[]>();

export function evaluatePod({ level, version }: LevelVersion, spec: PodSpec, metadata: ObjectMeta): Violation[] {
  if (level === 'privileged') return [];
  const minor = version === 'latest' ? LATEST : Math.min(version, LATEST);
  const key = `${level}:${minor}`;
  let checks = checksByPolicy.get(key);
  if (!checks) {
    checks = checksOf(level, minor);
    checksByPolicy.set(key, checks);
  }
  const violations: Violation[] = [];
  for (const check of checks) {
    const violation = check(spec, metadata);
    if (violation) violations.push(violation);
  }
  return violations;
}

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly CheckPod[] {
  const restricted = level === 'restricted' ? RESTRICTED_CHECKS.flatMap((check) => checkAt(check, minor)) : [];
  const overridden = new Set(restricted.flatMap(({ overrides }) => overrides ?? []));
  const baseline = BASELINE_CHECKS.filter(({ id }) => !overridden.has(id)).flatMap((check) => checkAt(check, minor));
  return [...baseline, ...restricted].map(({ check }) => check);
}

function checkAt({ versions }: Check, minor: number): VersionedCheck[] {
  const found = versions.findLast(({ since }) => since <= minor);
  return found ? [found] : [];
}

export const violationsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ');
