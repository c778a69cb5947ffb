/**
 * Validation of Services. The allocators check what depends on the cluster (free addresses and ports, configured
 * families).
 */
import type { Service, ServicePort, ServiceSpec } from '../../../../api/generated/core-v1.ts';
import { parseIp } from '../../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../../errors/index.ts';
import { dns1123Label, dns1123Subdomain, nameIsDnsLabel, portNumber, qualifiedName } from '../../../names/index.ts';
import { goStruct } from '../../go-struct.ts';
import { checkLegacyCidr, checkLegacyIp, validateNonSpecialIp } from '../../ip.ts';
import type { KindValidation } from '../../kind-validation.ts';
import { validateLabels } from '../../label-selector.ts';
import { metadata, metadataUpdate } from '../../metadata-checks.ts';
import { validateProtocol } from '../pod/container-ports.ts';
import { validatePortNumberOrName } from '../pod/handlers.ts';
import { clusterIps, clusterIpsUpdate, isHeadless } from './service-cluster-ips.ts';
import { externalTraffic, externalTrafficUpdate, internalTraffic } from './service-traffic.ts';
import { serviceWarnings } from './service-warnings.ts';

const SPEC = path('spec');
const PORTS = SPEC.child('ports');
const ANNOTATIONS = path('metadata', 'annotations');
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const MAX_AFFINITY_SECONDS = 86400;
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';
const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode';
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const RULES = { namespaced: true, name: nameIsDnsLabel };

const specOf = (service: Service): ServiceSpec => service.spec ?? {};

function topologyAnnotations(errors: FieldError[], service: Service): void {
  const { [TOPOLOGY_HINTS]: hints, [TOPOLOGY_MODE]: mode } = service.metadata?.annotations ?? {};
  if (hints === undefined || mode === undefined || hints === mode) return;
  errors.push(
    invalidValue(
      ANNOTATIONS.key(TOPOLOGY_MODE),
      mode,
      `must match annotations[${TOPOLOGY_HINTS}] when both are specified`,
    ),
  );
}

function typeFields(errors: FieldError[], service: Service): void {
  const spec = specOf(service);
  const { type = '', ports = [] } = spec;
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required(PORTS));
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec)) {
    errors.push(
      invalidValue(SPEC.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`),
    );
  }
  if (type === 'ExternalName') validateExternalName(errors, spec);
}

function validateExternalName(errors: FieldError[], spec: ServiceSpec): void {
  const forbidden = 'may not be set for ExternalName services';
  if (spec.clusterIPs?.length) errors.push(forbiddenField(SPEC.child('clusterIPs'), forbidden));
  if (spec.ipFamilies?.length) errors.push(forbiddenField(SPEC.child('ipFamilies'), forbidden));
  if (spec.ipFamilyPolicy !== undefined) errors.push(forbiddenField(SPEC.child('ipFamilyPolicy'), forbidden));
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') errors.push(required(SPEC.child('externalName')));
  else
    for (const message of dns1123Subdomain(name)) errors.push(invalidValue(SPEC.child('externalName'), name, message));
}

function ports(errors: FieldError[], service: Service): void {
  const list = specOf(service).ports ?? [];
  const names = new Set<string>();
  for (const [i, port] of list.entries())
    validatePort(errors, port, PORTS.index(i), { names, nameRequired: list.length > 1 });
}

function validatePort(
  errors: FieldError[],
  { name, port = 0, protocol, targetPort, appProtocol }: ServicePort,
  at: Path,
  { names, nameRequired }: { names: Set<string>; nameRequired: boolean },
): void {
  if (name) {
    for (const message of dns1123Label(name)) errors.push(invalidValue(at.child('name'), name, message));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  } else if (nameRequired) errors.push(required(at.child('name')));
  for (const message of portNumber(port)) errors.push(invalidValue(at.child('port'), port, message));
  validateProtocol(errors, protocol, at.child('protocol'));
  validatePortNumberOrName(errors, targetPort, at.child('targetPort'));
  if (appProtocol !== undefined) {
    for (const message of qualifiedName(appProtocol))
      errors.push(invalidValue(at.child('appProtocol'), appProtocol, message));
  }
}

function selectorAndAffinity(errors: FieldError[], service: Service): void {
  const { selector, sessionAffinity: affinity, sessionAffinityConfig: config } = specOf(service);
  if (selector) validateLabels(errors, selector, SPEC.child('selector'));
  if (!affinity) errors.push(required(SPEC.child('sessionAffinity')));
  else if (!AFFINITIES.includes(affinity))
    errors.push(notSupported(SPEC.child('sessionAffinity'), affinity, AFFINITIES));
  const here = SPEC.child('sessionAffinityConfig');
  if (affinity === 'None' && config) errors.push(forbiddenField(here, 'must not be set when session affinity is None'));
  if (affinity !== 'ClientIP') return;
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined) {
    const missing = !config
      ? here
      : !config.clientIP
        ? here.child('clientIP')
        : here.child('clientIP', 'timeoutSeconds');
    errors.push(required(missing, 'when session affinity type is ClientIP'));
  } else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    const message = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
    errors.push(invalidValue(here.child('clientIP', 'timeoutSeconds'), seconds, message));
  }
}

function validateExternalIps(errors: FieldError[], service: Service, stored: readonly string[] = []): void {
  for (const [i, ip] of (specOf(service).externalIPs ?? []).entries()) {
    const here = SPEC.child('externalIPs').index(i);
    const before = errors.length;
    checkLegacyIp(errors, ip, here, { strict: !stored.includes(ip) });
    if (errors.length === before) validateNonSpecialIp(errors, ip, here);
  }
}

function typeAndPortUse(errors: FieldError[], service: Service): void {
  const { type, ports: list = [] } = specOf(service);
  if (!type) errors.push(required(SPEC.child('type')));
  else if (!TYPES.includes(type)) errors.push(notSupported(SPEC.child('type'), type, TYPES));
  if (type === 'ClusterIP') {
    for (const [i, { nodePort }] of list.entries()) {
      if (nodePort)
        errors.push(forbiddenField(PORTS.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    }
  }
  const nodePorts = new Set<string>();
  for (const [i, { nodePort, protocol }] of list.entries()) {
    if (!nodePort) continue;
    if (nodePorts.has(`${protocol}/${nodePort}`)) errors.push(duplicate(PORTS.index(i).child('nodePort'), nodePort));
    nodePorts.add(`${protocol}/${nodePort}`);
  }
  const seen = new Set<string>();
  for (const [i, { port, protocol }] of list.entries()) {
    if (seen.has(`${protocol}/${port}`)) errors.push(duplicate(PORTS.index(i), shownPort(port, protocol ?? '')));
    seen.add(`${protocol}/${port}`);
  }
}

/** The struct with port and protocol that upstream shows for a duplicate port. */
const shownPort = (port: number, protocol: string): unknown =>
  goStruct('io.k8s.api.core.v1.ServicePort', { protocol, port, targetPort: 0 });

function validateLoadBalancer(errors: FieldError[], service: Service, stored: readonly string[] = []): void {
  const { type, loadBalancerSourceRanges: ranges = [], allocateLoadBalancerNodePorts: allocate } = specOf(service);
  const isLoadBalancer = type === 'LoadBalancer';
  const annotation = service.metadata?.annotations?.[SOURCE_RANGES];
  if (ranges.length > 0) {
    const here = SPEC.child('LoadBalancerSourceRanges');
    if (!isLoadBalancer) errors.push(forbiddenField(here, ONLY_LOAD_BALANCER));
    for (const [i, range] of ranges.entries())
      checkLegacyCidr(errors, range.trim(), here.index(i), { strict: !stored.includes(range) });
  } else if (annotation !== undefined) {
    const here = ANNOTATIONS.key(SOURCE_RANGES);
    if (!isLoadBalancer) errors.push(forbiddenField(here, ONLY_LOAD_BALANCER));
    const list = annotation.trim();
    if (list !== '') for (const range of list.split(',')) checkLegacyCidr(errors, range.trim(), here);
  }
  if (allocate !== undefined && !isLoadBalancer)
    errors.push(forbiddenField(SPEC.child('allocateLoadBalancerNodePorts'), ONLY_LOAD_BALANCER));
  if (allocate === undefined && isLoadBalancer) errors.push(required(path('allocateLoadBalancerNodePorts')));
}

function loadBalancerClass(errors: FieldError[], service: Service): void {
  const { type, loadBalancerClass: name } = specOf(service);
  if (name === undefined) return;
  const here = SPEC.child('loadBalancerClass');
  if (type !== 'LoadBalancer') errors.push(forbiddenField(here, ONLY_LOAD_BALANCER));
  else for (const message of qualifiedName(name)) errors.push(invalidValue(here, name, message));
}

function loadBalancerClassUpdate(errors: FieldError[], service: Service, old: Service): void {
  const [spec, before] = [specOf(service), specOf(old)];
  if (
    spec.type === 'LoadBalancer' &&
    before.type === 'LoadBalancer' &&
    spec.loadBalancerClass !== before.loadBalancerClass
  ) {
    errors.push(
      invalidValue(SPEC.child('loadBalancerClass'), spec.loadBalancerClass ?? null, 'may not change once set'),
    );
  }
  loadBalancerClass(errors, service);
}

function loadBalancerStatus(errors: FieldError[], service: Service): void {
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  const here = path('status', 'loadBalancer', 'ingress');
  if (specOf(service).type !== 'LoadBalancer' && ingress.length > 0) {
    errors.push(forbiddenField(here, "may only be used when `spec.type` is 'LoadBalancer'"));
    return;
  }
  for (const [i, { ip = '', ipMode, hostname = '' }] of ingress.entries()) {
    const at = here.index(i);
    if (ip !== '') checkLegacyIp(errors, ip, at.child('ip'));
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(at.child('ipMode'), 'must be specified when `ip` is set'));
    } else if (ip === '') errors.push(forbiddenField(at.child('ipMode'), 'may not be specified when `ip` is not set'));
    else if (ipMode !== 'VIP' && ipMode !== 'Proxy')
      errors.push(notSupported(at.child('ipMode'), ipMode, ['Proxy', 'VIP']));
    if (hostname === '') continue;
    for (const message of dns1123Subdomain(hostname))
      errors.push(invalidValue(at.child('hostname'), hostname, message));
    if (parseIp(hostname))
      errors.push(invalidValue(at.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
  }
}

/** The checks of create and update; invalid addresses that are stored already are accepted. */
function validateService(errors: FieldError[], service: Service, old?: Service): void {
  topologyAnnotations(errors, service);
  typeFields(errors, service);
  ports(errors, service);
  selectorAndAffinity(errors, service);
  clusterIps(errors, specOf(service), old?.spec?.clusterIPs);
  validateExternalIps(errors, service, old?.spec?.externalIPs);
  typeAndPortUse(errors, service);
  validateLoadBalancer(errors, service, old?.spec?.loadBalancerSourceRanges);
  loadBalancerClass(errors, service);
  externalTraffic(errors, specOf(service));
  internalTraffic(errors, specOf(service));
}

export const service: KindValidation<Service> = {
  create: [metadata(RULES), (errors, object) => validateService(errors, object)],
  update: [
    metadataUpdate,
    (errors, object, old) => clusterIpsUpdate(errors, specOf(object), specOf(old)),
    loadBalancerClassUpdate,
    (errors, object, old) => externalTrafficUpdate(errors, specOf(object), specOf(old)),
    validateService,
  ],
  status: [metadataUpdate, (errors, object) => loadBalancerStatus(errors, object)],
  warnings: [serviceWarnings],
};
