/** Metrics of PodSecurity, under upstream's names. */
import { KUBERNETES_MINOR } from '../../../api/kubernetes-version.ts';
import type { MetricsRegistry } from '../../../kernel/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import type { LevelVersion } from './policy.ts';

const REQUEST = ['request_operation', 'resource', 'subresource'] as const;

export class PodSecurityMetrics {
  readonly #evaluations;
  readonly #exemptions;
  /** By the labels' text: a Pod is evaluated with every create. */
  readonly #known = new Map<string, { inc(): void }>();

  constructor(metrics: MetricsRegistry) {
    this.#evaluations = metrics.counter({
      name: 'pod_security_evaluations_total',
      help: 'Number of policy evaluations that occurred, not counting ignored or exempt requests.',
      labels: ['decision', 'policy_level', 'policy_version', 'mode', ...REQUEST],
    });
    this.#exemptions = metrics.counter({
      name: 'pod_security_exemptions_total',
      help: 'Number of exempt requests, not counting ignored ones.',
      labels: REQUEST,
    });
    // These series exist from the start.
    for (const request_operation of ['create', 'update']) {
      this.#evaluations.child({
        decision: 'allow',
        policy_level: 'privileged',
        policy_version: 'latest',
        mode: 'enforce',
        request_operation,
        resource: 'pod',
        subresource: '',
      });
      for (const resource of ['pod', 'controller'])
        this.#exemptions.child({ request_operation, resource, subresource: '' });
    }
  }

  evaluated(
    attributes: AdmissionAttributes,
    mode: 'enforce' | 'audit' | 'warn',
    policy: LevelVersion,
    decision: 'allow' | 'deny',
  ): void {
    const { operation, served, subresource } = attributes;
    const key = `${decision} ${policy.level} ${policy.version} ${mode} ${operation} ${served.plural} ${subresource}`;
    let counter = this.#known.get(key);
    if (!counter) {
      counter = this.#evaluations.child({
        ...requestLabels(attributes),
        decision,
        mode,
        policy_level: policy.level,
        policy_version: versionLabel(policy),
      });
      this.#known.set(key, counter);
    }
    counter.inc();
  }

  exempted(attributes: AdmissionAttributes): void {
    this.#exemptions.inc(requestLabels(attributes));
  }
}

const requestLabels = ({ operation, served, subresource }: AdmissionAttributes) => ({
  request_operation: operation.toLowerCase(),
  resource: served.plural === 'pods' ? 'pod' : served.plural === 'namespaces' ? 'namespace' : 'controller',
  subresource,
});

/** Versions after this release have one label: a namespace can name any. */
function versionLabel({ level, version }: LevelVersion): string {
  if (version === 'latest' || level === 'privileged') return 'latest';
  return version > Number(KUBERNETES_MINOR) ? 'future' : `v1.${version}`;
}
