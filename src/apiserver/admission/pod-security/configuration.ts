/** PodSecurityConfiguration: the defaults for namespaces without labels, and the exemptions. */
import { DEFAULT_POLICY, parsePolicy, LABEL_PREFIX, type Policy } from './policy.ts';

export interface PodSecurityConfiguration {
  readonly defaults?: Readonly<Record<string, string>>;
  readonly exemptions?: {
    readonly usernames?: readonly string[];
    readonly runtimeClasses?: readonly string[];
    readonly namespaces?: readonly string[];
  };
}

interface PodSecurityRules {
  readonly defaults: Policy;
  readonly exemptUsers: ReadonlySet<string>;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
  readonly exemptNamespaces: ReadonlySet<string>;
}

export function rulesFrom({ defaults = {}, exemptions = {} }: PodSecurityConfiguration): PodSecurityRules {
  const labels = Object.fromEntries(Object.entries(defaults).map(([key, value]) => [`${LABEL_PREFIX}${key}`, value]));
  const { policy, errors } = parsePolicy({ [`${LABEL_PREFIX}warn`]: 'privileged', ...labels }, DEFAULT_POLICY);
  if (errors.length > 0) throw new Error(`PodSecurityConfiguration: ${errors.map((error) => error.body()).join(', ')}`);
  return {
    defaults: policy,
    exemptUsers: new Set(exemptions.usernames),
    exemptRuntimeClasses: new Set(exemptions.runtimeClasses),
    exemptNamespaces: new Set(exemptions.namespaces),
  };
}
