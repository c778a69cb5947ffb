/** Validation of Ingresses. */
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressSpec,
  IngressTLS,
} from '../../../api/generated/networking-v1.ts';
import { parseIp } from '../../../base/index.ts';
import { type FieldError, invalidValue, notSupported, path, type Path, required } from '../../errors/index.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDnsSubdomain,
  portName,
  portNumber,
  wildcardDns1123Subdomain,
} from '../../names/index.ts';
import { checkLegacyIp } from '../ip.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateTypedLocalReference } from './local-reference.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const NOT_AN_IP = 'must be a DNS name, not an IP address';

const CLASS_ANNOTATION_WARNING = `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`;

export const ingress: KindValidation<Ingress> = {
  warnings: [
    (warnings, { metadata: meta }, old) => {
      if (!old && meta.annotations?.['kubernetes.io/ingress.class'] !== undefined)
        warnings.push(CLASS_ANNOTATION_WARNING);
    },
  ],
  create: [
    metadata(META_RULES),
    (errors, object) => validateSpec(errors, object.spec, STRICT),
    (errors, object) => validateClassAnnotation(errors, object),
  ],
  update: [
    metadataUpdate,
    metadataAgain(META_RULES),
    (errors, object, old) => validateSpec(errors, object.spec, storedBy(old.spec)),
  ],
  status: [metadataUpdate, (errors, object, old) => validateLoadBalancer(errors, object, old)],
};

/** Invalid values that an update may keep because they are stored already. */
interface Allowances {
  readonly secretNames: boolean;
  readonly wildcardRules: boolean;
}

const STRICT: Allowances = { secretNames: false, wildcardRules: false };

function storedBy(old: IngressSpec | undefined): Allowances {
  const badRule = ({ host = '', http }: IngressRule): boolean => {
    const errors: FieldError[] = [];
    if (host.includes('*') && http) validatePaths(errors, http.paths ?? [], SPEC);
    return errors.length > 0;
  };
  return {
    secretNames: (old?.tls ?? []).some(({ secretName }) => secretName && dns1123Subdomain(secretName).length > 0),
    wildcardRules: (old?.rules ?? []).some(badRule),
  };
}

function validateClassAnnotation(errors: FieldError[], { metadata: meta, spec }: Ingress): void {
  const annotation = meta.annotations?.[CLASS_ANNOTATION];
  const name = spec?.ingressClassName;
  if (annotation === undefined || name == null || annotation === name) return;
  errors.push(
    invalidValue(
      path('annotations', CLASS_ANNOTATION),
      annotation,
      'must match `ingressClassName` when both are specified',
    ),
  );
}

function validateSpec(errors: FieldError[], spec: IngressSpec | undefined, allowances: Allowances): void {
  const rules = spec?.rules ?? [];
  if (rules.length === 0 && !spec?.defaultBackend) {
    errors.push(invalidValue(SPEC, spec?.rules, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (spec?.defaultBackend) validateBackend(errors, spec.defaultBackend, SPEC.child('defaultBackend'));
  for (const [i, rule] of rules.entries()) validateRule(errors, rule, SPEC.child('rules').index(i), allowances);
  for (const [i, tls] of (spec?.tls ?? []).entries()) validateTls(errors, tls, SPEC.child('tls').index(i), allowances);
  const name = spec?.ingressClassName;
  if (name != null)
    for (const message of dns1123Subdomain(name))
      errors.push(invalidValue(SPEC.child('ingressClassName'), name, message));
}

function validateTls(
  errors: FieldError[],
  { hosts, secretName }: IngressTLS,
  at: Path,
  { secretNames }: Allowances,
): void {
  for (const [i, host] of (hosts ?? []).entries()) validateHostSyntax(errors, host, at.child('hosts').index(i));
  if (!secretName || secretNames) return;
  for (const message of dns1123Subdomain(secretName))
    errors.push(invalidValue(at.child('secretName'), secretName, message));
}

function validateHostSyntax(errors: FieldError[], host: string, at: Path): void {
  const messages = host.includes('*') ? wildcardDns1123Subdomain(host) : dns1123Subdomain(host);
  for (const message of messages) errors.push(invalidValue(at, host, message));
}

function validateRule(
  errors: FieldError[],
  { host, http }: IngressRule,
  at: Path,
  { wildcardRules }: Allowances,
): void {
  if (host) {
    if (parseIp(host)) errors.push(invalidValue(at.child('host'), host, NOT_AN_IP));
    validateHostSyntax(errors, host, at.child('host'));
  }
  if (!http || (wildcardRules && host?.includes('*'))) return;
  validatePaths(errors, http.paths ?? [], at.child('http', 'paths'));
}

function validatePaths(errors: FieldError[], paths: readonly HTTPIngressPath[], at: Path): void {
  if (paths.length === 0) errors.push(required(at));
  for (const [i, one] of paths.entries()) validatePath(errors, one, at.index(i));
}

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const FORBIDDEN_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const FORBIDDEN_ENDS = ['/..', '/.'];

function validatePath(errors: FieldError[], { path: text = '', pathType, backend }: HTTPIngressPath, at: Path): void {
  const pathAt = at.child('path');
  if (pathType == null) {
    errors.push(required(at.child('pathType'), 'pathType must be specified'));
    return;
  }
  const absolute = text.startsWith('/');
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!absolute) errors.push(invalidValue(pathAt, text, 'must be an absolute path'));
    for (const sequence of FORBIDDEN_SEQUENCES) {
      if (text.includes(sequence)) errors.push(invalidValue(pathAt, text, `must not contain '${sequence}'`));
    }
    for (const end of FORBIDDEN_ENDS)
      if (text.endsWith(end)) errors.push(invalidValue(pathAt, text, `cannot end with '${end}'`));
  } else if (pathType === 'ImplementationSpecific') {
    if (text !== '' && !absolute) errors.push(invalidValue(pathAt, text, 'must be an absolute path'));
  } else {
    errors.push(notSupported(at.child('pathType'), pathType, PATH_TYPES));
  }
  validateBackend(errors, backend, at.child('backend'));
}

function validateBackend(errors: FieldError[], backend: IngressBackend | undefined, at: Path): void {
  const { resource, service } = backend ?? {};
  if (resource && service) {
    errors.push(invalidValue(at, '', 'cannot set both resource and service backends'));
  } else if (resource) {
    validateTypedLocalReference(errors, resource, at.child('resource'));
  } else if (service) {
    const { name = '', port } = service;
    const nameAt = at.child('service', 'name');
    if (name === '') errors.push(required(nameAt));
    else for (const message of dns1123Label(name)) errors.push(invalidValue(nameAt, name, message));
    validateBackendPort(errors, port ?? {}, at);
  } else {
    errors.push(invalidValue(at, '', 'resource or service backend is required'));
  }
}

function validateBackendPort(
  errors: FieldError[],
  { name = '', number = 0 }: { name?: string; number?: number },
  at: Path,
): void {
  const portAt = at.child('service', 'port');
  if (name !== '' && number !== 0) errors.push(invalidValue(at, '', 'cannot set both port name & port number'));
  else if (name !== '')
    for (const message of portName(name)) errors.push(invalidValue(portAt.child('name'), name, message));
  else if (number !== 0)
    for (const message of portNumber(number)) errors.push(invalidValue(portAt.child('number'), number, message));
  else errors.push(required(at, 'port name or number is required'));
}

function validateLoadBalancer(errors: FieldError[], object: Ingress, old: Ingress): void {
  const known = new Set((old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  for (const [i, { ip, hostname }] of (object.status?.loadBalancer?.ingress ?? []).entries()) {
    const at = path('status', 'loadBalancer', 'ingress').index(i);
    if (ip) checkLegacyIp(errors, ip, at.child('ip'), { strict: !known.has(ip) });
    if (!hostname) continue;
    for (const message of dns1123Subdomain(hostname))
      errors.push(invalidValue(at.child('hostname'), hostname, message));
    if (parseIp(hostname)) errors.push(invalidValue(at.child('hostname'), hostname, NOT_AN_IP));
  }
}
