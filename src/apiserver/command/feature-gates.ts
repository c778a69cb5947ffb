/** --feature-gates: parses the gates, and rejects unknown ones as upstream does. */
import { UsageError } from '../../flags/index.ts';
import { FEATURE_GATE_DEFAULTS } from '../../machinery/index.ts';

export function featureGates(given: Readonly<Record<string, string>>): Record<string, boolean> {
  const gates: Record<string, boolean> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!/^(true|false)$/i.test(value))
      throw new UsageError(
        `invalid value of ${name}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`,
      );
    // `kube:Name=true` has the component as a prefix.
    const gate = name.replace(/^kube:/, '');
    if (!Object.hasOwn(FEATURE_GATE_DEFAULTS, gate)) throw new UsageError(`unrecognized feature gate: ${gate}`);
    gates[gate] = value.toLowerCase() === 'true';
  }
  return gates;
}
