/** --feature-gates and --emulated-version of a component: what the flags mean, and what they are refused with. */
import type { EffectiveVersion } from '../api/kubernetes-version.ts';
import { errorMessage } from '../base/index.ts';
import { UsageError } from '../flags/index.ts';
import { gatesWithoutEffect, parseEffectiveVersion, setFeatureGates } from '../machinery/index.ts';

interface GateFlagValues {
  readonly 'feature-gates'?: Readonly<Record<string, string>> | undefined;
  readonly 'emulated-version'?: readonly string[] | undefined;
  readonly 'min-compatibility-version'?: readonly string[] | undefined;
}

interface GateSettings {
  /** The gates that differ from their defaults. */
  readonly featureGates: Record<string, boolean>;
  readonly effectiveVersion: EffectiveVersion;
  /** Gates that were set, but that nothing here asks about. */
  readonly withoutEffect: readonly string[];
}

/** Throws a UsageError. */
export function gateFlags(values: GateFlagValues): GateSettings {
  const given = values['feature-gates'] ?? {};
  try {
    const version = parseEffectiveVersion(values['emulated-version'], values['min-compatibility-version']);
    return {
      featureGates: setFeatureGates(given, version),
      effectiveVersion: version,
      withoutEffect: gatesWithoutEffect(given, version),
    };
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}
