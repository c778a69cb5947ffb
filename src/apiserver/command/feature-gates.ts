/** --feature-gates: parses the gates, and rejects unknown ones as upstream does. */
import { UsageError } from '../../flags/index.ts';
import { BETA_GATES_OFF, FEATURE_GATE_DEFAULTS } from '../../machinery/index.ts';

export function featureGates(given: Readonly<Record<string, string>>): Record<string, boolean> {
  const gates: Record<string, boolean> = allGates(given);
  for (const [name, value] of Object.entries(given)) {
    if (!/^(true|false)$/i.test(value))
      throw new UsageError(
        `invalid value of ${name}: ${value}, err: strconv.ParseBool: parsing "${value}": invalid syntax`,
      );
    // `kube:Name=true` has the component as a prefix.
    const gate = name.replace(/^kube:/, '');
    if (gate === 'AllAlpha' || gate === 'AllBeta') continue;
    if (!Object.hasOwn(FEATURE_GATE_DEFAULTS, gate)) throw new UsageError(`unrecognized feature gate: ${gate}`);
    gates[gate] = value.toLowerCase() === 'true';
  }
  return gates;
}

/** AllAlpha and AllBeta switch the gates that are not given themselves. */
function allGates(given: Readonly<Record<string, string>>): Record<string, boolean> {
  const on = (name: string): boolean | undefined => {
    const value = given[name] ?? given[`kube:${name}`];
    return value === undefined ? undefined : value.toLowerCase() === 'true';
  };
  if (on('AllBeta') === false)
    throw new UsageError('--feature-gates: AllBeta=false is not supported; switch the gates off by their names');
  const off = Object.entries<boolean>(FEATURE_GATE_DEFAULTS).filter(([, enabled]) => !enabled);
  const isSwitched = (name: string): boolean | undefined => on(BETA_GATES_OFF.has(name) ? 'AllBeta' : 'AllAlpha');
  return Object.fromEntries(off.filter(([name]) => isSwitched(name)).map(([name]) => [name, true]));
}
