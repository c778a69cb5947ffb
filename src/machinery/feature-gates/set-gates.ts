/** What --feature-gates sets, in the version that is emulated. */
import {
  BINARY_EFFECTIVE_VERSION,
  BINARY_MINOR,
  KUBERNETES_MAJOR,
  type EffectiveVersion,
} from '../../api/kubernetes-version.ts';
import { goBoolError, parseGoBool } from '../../base/index.ts';
import { aggregateMessage } from '../errors/index.ts';
import { CONSULTED_GATES, gateIn, isKnownGate } from './feature-gates.ts';
import { GATE_DEPENDENCIES, KNOWN_GATES } from './known-gates.ts';

const CONSULTED = new Set<string>(CONSULTED_GATES);

/** The gates that differ from their defaults in v1.36. Throws what upstream refuses a program's flags with. */
export function setFeatureGates(
  given: Readonly<Record<string, string>>,
  version: EffectiveVersion = BINARY_EFFECTIVE_VERSION,
): Record<string, boolean> {
  const all = gateValues(given, version);
  return Object.fromEntries(
    CONSULTED_GATES.flatMap((name) => {
      const enabled = all.get(name) ?? false;
      return enabled === gateIn(name, BINARY_MINOR)?.enabled ? [] : [[name, enabled]];
    }),
  );
}

/** The gates that were given another value than their default, but that nothing here asks about. */
export const gatesWithoutEffect = (
  given: Readonly<Record<string, string>>,
  { emulation }: EffectiveVersion = BINARY_EFFECTIVE_VERSION,
): string[] =>
  [...parseGates(given)].flatMap(([name, enabled]) =>
    isKnownGate(name) && !CONSULTED.has(name) && gateIn(name, emulation)?.enabled !== enabled ? [name] : [],
  );

interface GateState {
  readonly name: string;
  /** As the label of a metric: `ALPHA`, `BETA`, empty when stable. */
  readonly stage: string;
  readonly enabled: boolean;
}

/** Every gate that the version has, as `kubernetes_feature_enabled` tells of it. */
export function gateStates(
  overrides: Readonly<Record<string, boolean>> = {},
  { emulation }: EffectiveVersion = BINARY_EFFECTIVE_VERSION,
): GateState[] {
  const states = Object.keys(KNOWN_GATES).flatMap((name) => {
    const spec = gateIn(name, emulation);
    if (spec === undefined) return [];
    const enabled = CONSULTED.has(name) ? (overrides[name] ?? gateIn(name, BINARY_MINOR)?.enabled) : undefined;
    const stage = spec.stage === 'GA' ? '' : spec.stage.toUpperCase();
    return [{ name, stage, enabled: enabled ?? spec.enabled }];
  });
  const off = { enabled: false };
  return [...states, { name: 'AllAlpha', stage: 'ALPHA', ...off }, { name: 'AllBeta', stage: 'BETA', ...off }];
}

function gateValues(given: Readonly<Record<string, string>>, version: EffectiveVersion): Map<string, boolean> {
  const wanted = parseGates(given);
  const values = new Map<string, boolean>();
  const ofStage = { alpha: wanted.get('AllAlpha'), beta: wanted.get('AllBeta') };
  for (const name of Object.keys(KNOWN_GATES)) {
    const spec = gateIn(name, version.emulation);
    const byStage = spec?.stage === 'alpha' || spec?.stage === 'beta' ? ofStage[spec.stage] : undefined;
    values.set(name, byStage ?? spec?.enabled ?? false);
  }
  const errors: string[] = [];
  for (const [name, enabled] of wanted) {
    if (name === 'AllAlpha' || name === 'AllBeta') continue;
    const problem = refusal(name, enabled, version);
    if (problem === undefined) values.set(name, enabled);
    else errors.push(problem);
  }
  if (errors.length === 0) errors.push(...missingDependencies(values));
  if (errors.length > 0) throw new RangeError(aggregateMessage(errors));
  return values;
}

function refusal(name: string, enabled: boolean, version: EffectiveVersion): string | undefined {
  if (!isKnownGate(name)) return `unrecognized feature gate: ${name}`;
  const spec = gateIn(name, version.emulation);
  const setting = `cannot set feature gate ${name} to ${enabled}`;
  if (spec === undefined) {
    const [emulated, compatible] = [version.emulation, version.minCompatibility].map((n) => `${KUBERNETES_MAJOR}.${n}`);
    const versions = `at emulated version ${emulated}, min compatibility version ${compatible}`;
    return `${setting}, feature is PreAlpha ${versions}`;
  }
  return spec.locked && spec.enabled !== enabled ? `${setting}, feature is locked to ${spec.enabled}` : undefined;
}

function* missingDependencies(values: ReadonlyMap<string, boolean>): Generator<string> {
  for (const [name, needed] of Object.entries(GATE_DEPENDENCIES)) {
    if (!values.get(name)) continue;
    const disabled = needed.filter((dependency) => !values.get(dependency));
    if (disabled.length > 0)
      yield `${name} is enabled, but depends on features that are disabled: [${disabled.join(' ')}]`;
  }
}

/** `kube:Name=true` has the component as a prefix. */
function parseGates(given: Readonly<Record<string, string>>): Map<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const [name, value] of Object.entries(given)) {
    const parsed = parseGoBool(value);
    if (parsed === undefined) throw new RangeError(`invalid value of ${name}: ${value}, err: ${goBoolError(value)}`);
    gates.set(name.replace(/^kube:/, ''), parsed);
  }
  return gates;
}
