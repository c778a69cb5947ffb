/** Validates the traffic policies of Services. */
import type { ServiceSpec } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, invalidValue, notSupported, path, required } from '../../../errors/index.ts';
import { portNumber } from '../../../names/index.ts';

const SPEC = path('spec');
const POLICIES = ['Cluster', 'Local'];
const DISTRIBUTIONS = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];

const isExternallyAccessible = ({ type, externalIPs }: ServiceSpec): boolean =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && Boolean(externalIPs?.length));

/** With externalTrafficPolicy Local, load balancers check which nodes have endpoints. */
const needsHealthCheck = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

export function externalTraffic(errors: FieldError[], spec: ServiceSpec): void {
  const { externalTrafficPolicy: policy = '', healthCheckNodePort: port = 0 } = spec;
  const here = SPEC.child('externalTrafficPolicy');
  if (!isExternallyAccessible(spec)) {
    if (policy !== '') errors.push(invalidValue(here, policy, 'may only be set for externally-accessible services'));
  } else if (policy === '') errors.push(required(here));
  else if (!POLICIES.includes(policy)) errors.push(notSupported(here, policy, POLICIES));
  const portPath = SPEC.child('healthCheckNodePort');
  if (needsHealthCheck(spec)) {
    if (port === 0) errors.push(required(portPath));
    else for (const message of portNumber(port)) errors.push(invalidValue(portPath, port, message));
  } else if (port !== 0) {
    errors.push(
      invalidValue(
        portPath,
        port,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ),
    );
  }
}

export function externalTrafficUpdate(errors: FieldError[], spec: ServiceSpec, old: ServiceSpec): void {
  if (needsHealthCheck(spec) && needsHealthCheck(old) && spec.healthCheckNodePort !== old.healthCheckNodePort) {
    errors.push(forbiddenField(SPEC.child('healthCheckNodePort'), 'field is immutable'));
  }
}

export function internalTraffic(
  errors: FieldError[],
  { type, internalTrafficPolicy: policy, trafficDistribution }: ServiceSpec,
): void {
  const here = SPEC.child('internalTrafficPolicy');
  if (policy === undefined) {
    if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP') errors.push(required(here));
  } else if (!POLICIES.includes(policy)) errors.push(notSupported(here, policy, POLICIES));
  if (trafficDistribution !== undefined && !DISTRIBUTIONS.includes(trafficDistribution)) {
    errors.push(notSupported(SPEC.child('trafficDistribution'), trafficDistribution, DISTRIBUTIONS));
  }
}
