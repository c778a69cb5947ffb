/** Why an Ingress does not answer: its class, its backends, its certificates. */
import type { Ingress, IngressBackend } from '../../api/generated/networking-v1.ts';
import type { Cause, Explanation, Subject } from '../answers.ts';
import { healthy, unhealthy } from './explanation.ts';
import type { Reader } from './reader.ts';
import { explainService } from './service.ts';
import { finalizerCauses } from './terminating.ts';

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';
const LEGACY_CLASS = 'kubernetes.io/ingress.class';

export async function explainIngress(reader: Reader, ingress: Ingress): Promise<Explanation> {
  const { metadata, spec, status } = ingress;
  const subject: Subject = { kind: 'Ingress', namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  if (metadata.deletionTimestamp) return unhealthy(subject, 'Terminating', finalizerCauses(ingress));
  const backends = [
    ...(spec?.defaultBackend ? [spec.defaultBackend] : []),
    ...(spec?.rules ?? []).flatMap(({ http }) => (http?.paths ?? []).map(({ backend }) => backend)),
  ];
  const causes = await classCauses(reader, ingress);
  for (const backend of backends) causes.push(...(await backendCauses(reader, metadata.namespace ?? '', backend)));
  for (const { secretName } of spec?.tls ?? [])
    causes.push(...(await secretCauses(reader, metadata.namespace ?? '', secretName)));
  const addresses = (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
  const state = addresses.length > 0 ? `served at ${addresses.join(', ')}` : 'without an address';
  if (causes.length === 0 && addresses.length === 0)
    causes.push({
      reason: 'NotServed',
      message: 'no ingress controller has given it an address',
      remedy: 'see that the ingress controller of its class runs',
    });
  return causes.length === 0 ? healthy(subject, state) : unhealthy(subject, state, causes);
}

async function classCauses(reader: Reader, { metadata, spec }: Ingress): Promise<Cause[]> {
  if (metadata.annotations?.[LEGACY_CLASS]) return [];
  const classes = await reader.list('networking.k8s.io/v1/ingressclasses');
  const wanted = spec?.ingressClassName;
  if (wanted === undefined) {
    if (classes.some((one) => one.metadata.annotations?.[DEFAULT_CLASS] === 'true')) return [];
    return [
      {
        reason: 'NoIngressClass',
        message: 'it names no IngressClass, and no IngressClass is the default',
        remedy: 'set spec.ingressClassName',
      },
    ];
  }
  if (classes.some((one) => one.metadata.name === wanted)) return [];
  const known = classes.map((one) => one.metadata.name).join(', ');
  return [
    {
      reason: 'IngressClassNotFound',
      message: `the IngressClass ${wanted} does not exist`,
      ...(known ? { evidence: [`there is ${known}`] } : {}),
      remedy: 'name an IngressClass that exists, or install its controller',
    },
  ];
}

async function backendCauses(
  reader: Reader,
  namespace: string,
  { service: backend }: IngressBackend,
): Promise<Cause[]> {
  if (!backend) return [];
  const { object: service, known } = await reader.get('v1/services', { namespace, name: backend.name });
  if (!known) return [];
  if (!service)
    return [
      {
        reason: 'ServiceNotFound',
        message: `its backend, the Service ${backend.name}, does not exist`,
        remedy: `create the Service ${backend.name} in namespace ${namespace}`,
      },
    ];
  const { port } = backend;
  const ports = service.spec?.ports ?? [];
  if (port && !ports.some(({ name, port: number }) => (port.name ? name === port.name : number === port.number)))
    return [
      {
        reason: 'NoSuchPort',
        message: `the Service ${backend.name} has no port ${port.name ?? port.number}`,
        evidence: [
          `it has ${ports.map(({ name, port: number }) => (name ? `${name} (${number})` : String(number))).join(', ')}`,
        ],
      },
    ];
  const because = await reader.because(`services/${namespace}/${backend.name}`, () => explainService(reader, service));
  return because.some((one) => !one.healthy)
    ? [{ reason: 'BackendNotReady', message: `its backend, the Service ${backend.name}, does not answer`, because }]
    : [];
}

async function secretCauses(reader: Reader, namespace: string, name: string | undefined): Promise<Cause[]> {
  if (!name) return [];
  const { object, known } = await reader.get('v1/secrets', { namespace, name });
  if (object || !known) return [];
  return [
    {
      reason: 'SecretNotFound',
      message: `its certificate, the Secret ${name}, does not exist`,
      remedy: `create the Secret ${name} of type kubernetes.io/tls`,
    },
  ];
}
