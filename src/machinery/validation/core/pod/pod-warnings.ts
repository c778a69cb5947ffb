/** Warnings about pods that are valid but probably not intended. */
import type {
  Affinity,
  Container,
  ContainerPort,
  Pod,
  PodAffinityTerm,
  PodSpec,
  PodTemplateSpec,
  Volume,
} from '../../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../../api/generated/meta-v1.ts';
import { append, ownValue, quote } from '../../../../base/index.ts';
import { isRestartableInitContainer } from '../../../../component-helpers/index.ts';
import { path, type Path } from '../../../errors/index.ts';
import { dns1123Label } from '../../../names/index.ts';
import { ipWarnings } from '../../ip.ts';
import { isWholeQuantity } from '../../quantities.ts';
import { deprecatedNodeLabel, nodeSelectorTermWarnings } from '../node/node-labels.ts';
import { claimSpecWarnings } from '../volume/claim-warnings.ts';
import { volumePathWarnings } from '../volume/volume-path-warnings.ts';
import { eachContainer, type AnyContainer } from './pod-containers.ts';
import { APP_ARMOR_ANNOTATION, SECCOMP_CONTAINER_ANNOTATION, SECCOMP_POD_ANNOTATION } from './security-profiles.ts';

const ROOT = path();
const SECCOMP_MESSAGE = 'non-functional in v1.27+; use the "seccompProfile" field instead';
const APP_ARMOR_MESSAGE = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** No warnings on update, because mostly controllers update pods. */
export function podWarnings(warnings: string[], pod: Pod, old: Pod | undefined): void {
  if (old) return;
  const messages = dns1123Label(pod.metadata?.name ?? '');
  if (messages.length > 0) {
    const what =
      "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
    warnings.push(`metadata.name: ${what}: [${messages.join(' ')}]`);
  }
  specWarnings(warnings, pod, ROOT);
}

/** For kinds with a pod template. On update, call this only if the generation changes. */
export function podTemplateWarnings(warnings: string[], template: PodTemplateSpec, at: Path): void {
  specWarnings(warnings, template, at);
  const annotations = template.metadata?.annotations;
  if (!annotations) return;
  eachContainer(template.spec ?? { containers: [] }, (container) => {
    const key = APP_ARMOR_ANNOTATION + container.name;
    if (
      ownValue(annotations, key) === undefined ||
      container.securityContext?.appArmorProfile ||
      template.spec?.securityContext?.appArmorProfile
    )
      return;
    warnings.push(`${at.child('metadata', 'annotations').key(key)}: ${APP_ARMOR_MESSAGE}`);
  });
}

interface PodLike {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpec;
}

function specWarnings(warnings: string[], { metadata = {}, spec }: PodLike, root: Path): void {
  if (!spec) return;
  const at = root.child('spec');
  nodeLabelWarnings(warnings, spec, at);
  annotationWarnings(warnings, metadata, root);
  for (const [i, volume] of (spec.volumes ?? []).entries())
    volumeWarnings(warnings, volume, at.child('volumes').index(i));
  if (spec.volumes) volumePathWarnings(warnings, spec.volumes);
  duplicateWarnings(warnings, spec, at);
  for (const name of ['memory', 'ephemeral-storage']) byteWarnings(warnings, spec.overhead, name, at.child('overhead'));
  seccompWarnings(warnings, { metadata, spec }, root);
  eachContainer(spec, (container, where) => containerWarnings(warnings, container, where(at)));
  portWarnings(warnings, spec, at);
  portNameWarnings(warnings, spec, at);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    warnings.push(
      `${at.child('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  }
  if (spec.affinity) nullSelectorWarnings(warnings, spec.affinity, at.child('affinity'));
  for (const [i, address] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    append(warnings, ipWarnings(address, at.child('dnsConfig', 'nameservers').index(i)));
  }
  for (const [i, { ip }] of (spec.hostAliases ?? []).entries())
    append(warnings, ipWarnings(ip, at.child('hostAliases').index(i).child('ip')));
}

function nodeLabelWarnings(warnings: string[], spec: PodSpec, at: Path): void {
  for (const key in spec.nodeSelector) {
    const message = deprecatedNodeLabel(key);
    if (message) warnings.push(`${at.child('nodeSelector').key(key)}: ${message}`);
  }
  const affinity = spec.affinity?.nodeAffinity;
  const here = at.child('affinity', 'nodeAffinity');
  for (const [i, term] of (
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  ).entries()) {
    const terms = here.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
    nodeSelectorTermWarnings(warnings, term, terms.index(i), { checkValues: false });
  }
  for (const [i, { preference }] of (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const terms = here.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference');
    nodeSelectorTermWarnings(warnings, preference ?? {}, terms, { checkValues: true });
  }
  for (const [i, { topologyKey = '', labelSelector }] of (spec.topologySpreadConstraints ?? []).entries()) {
    const constraint = at.child('topologySpreadConstraints').index(i);
    const message = deprecatedNodeLabel(topologyKey);
    if (message) warnings.push(`${constraint.child('topologyKey')}: ${topologyKey} is ${message}`);
    if (!labelSelector)
      warnings.push(`${constraint.child('labelSelector')}: a null labelSelector results in matching no pod`);
  }
}

const DEPRECATED_ANNOTATIONS: readonly (readonly [key: string, why: string])[] = [
  ['scheduler.alpha.kubernetes.io/critical-pod', 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  ['security.alpha.kubernetes.io/unsafe-sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function annotationWarnings(warnings: string[], { annotations }: ObjectMeta, root: Path): void {
  if (!annotations) return;
  for (const [key, why] of DEPRECATED_ANNOTATIONS) {
    if (ownValue(annotations, key) !== undefined)
      warnings.push(`${root.child('metadata', 'annotations').key(key)}: ${why}`);
  }
}

/** The field, upstream's name for it, and since when it is deprecated or not supported. */
const DEPRECATED_VOLUMES: readonly (readonly [keyof Volume, string, string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(warnings: string[], volume: Volume, at: Path): void {
  for (const [field, name, message] of DEPRECATED_VOLUMES) {
    if (volume[field] !== undefined) warnings.push(`${at.child(name)}: ${message}`);
  }
  const spec = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (spec) claimSpecWarnings(warnings, spec, at.child('ephemeral', 'volumeClaimTemplate', 'spec'));
}

function duplicateWarnings(warnings: string[], { hostAliases = [], imagePullSecrets = [] }: PodSpec, at: Path): void {
  const addresses = new Set<string>();
  for (const [i, { ip }] of hostAliases.entries()) {
    if (addresses.has(ip)) warnings.push(`${at.child('hostAliases').index(i).child('ip')}: duplicate ip ${quote(ip)}`);
    addresses.add(ip);
  }
  const names = new Set<string>();
  for (const [i, { name = '' }] of imagePullSecrets.entries()) {
    const here = at.child('imagePullSecrets').index(i).child('name');
    if (name === '') warnings.push(`${here}: invalid empty name ""`);
    else if (names.has(name)) warnings.push(`${here}: duplicate name ${quote(name)}`);
    names.add(name);
  }
}

function byteWarnings(
  warnings: string[],
  list: Readonly<Record<string, string>> | undefined,
  name: string,
  at: Path,
): void {
  const quantity = list?.[name];
  if (quantity === undefined || isWholeQuantity(quantity)) return;
  warnings.push(`${at.key(name)}: fractional byte value ${quote(quantity)} is invalid, must be an integer`);
}

function seccompWarnings(
  warnings: string[],
  { metadata, spec }: { metadata: ObjectMeta; spec: PodSpec },
  root: Path,
): void {
  const { annotations } = metadata;
  if (!annotations) return;
  const warn = (key: string): void => {
    if (ownValue(annotations, key) !== undefined)
      warnings.push(`${root.child('metadata', 'annotations').key(key)}: ${SECCOMP_MESSAGE}`);
  };
  if (!spec.securityContext?.seccompProfile) warn(SECCOMP_POD_ANNOTATION);
  eachContainer(spec, (container) => {
    if (!container.securityContext?.seccompProfile) warn(SECCOMP_CONTAINER_ANNOTATION + container.name);
  });
}

function containerWarnings(warnings: string[], container: AnyContainer, at: Path): void {
  for (const name of ['memory', 'ephemeral-storage']) {
    for (const list of ['limits', 'requests'] as const) {
      byteWarnings(warnings, container.resources?.[list], name, at.child('resources', list));
    }
  }
  const names = new Set<string>();
  for (const [i, { name, value = '', valueFrom }] of (container.env ?? []).entries()) {
    const reference = `$(${name})`;
    // A value that refers to the previous one does not hide it.
    if (names.has(name) && (valueFrom || value === reference || !value.includes(reference))) {
      const what = `hides previous definition of ${quote(name)}, which may be dropped when using apply`;
      warnings.push(`${at.child('env').index(i)}: ${what}`);
    }
    names.add(name);
  }
}

function portWarnings(warnings: string[], spec: PodSpec, at: Path): void {
  const seen = new Map<string, { port: ContainerPort; where: Path }[]>();
  eachContainer(spec, (container, where) => {
    for (const [i, port] of (container.ports ?? []).entries()) {
      const here = where(at).child('ports').index(i);
      const { name = '', hostPort = 0, containerPort, protocol, hostIP = '' } = port;
      if (hostIP !== '' && hostPort === 0) {
        const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
        warnings.push(`${here}: hostIP set without hostPort: ${shown}`);
      }
      const others = seen.get(`${containerPort}/${protocol}`) ?? [];
      for (const other of others) {
        const conflict = portConflict(port, other.port);
        if (conflict) warnings.push(`${here}: ${conflict} port definition with ${other.where}`);
      }
      seen.set(`${containerPort}/${protocol}`, [...others, { port, where: here }]);
    }
  });
}

function portConflict(port: ContainerPort, other: ContainerPort): string | undefined {
  const { hostIP = '', hostPort = 0 } = port;
  const { hostIP: otherIP = '', hostPort: otherPort = 0 } = other;
  if (hostIP === otherIP && hostPort === otherPort) return 'duplicate';
  if (hostPort === 0 || otherPort === 0) return 'overlapping';
  return hostPort === otherPort && (hostIP === '') !== (otherIP === '') ? 'dangerously ambiguous' : undefined;
}

function portNameWarnings(warnings: string[], spec: PodSpec, at: Path): void {
  const seen = new Map<string, Path>();
  const visit = (container: Container, here: Path): void => {
    for (const [i, { name }] of (container.ports ?? []).entries()) {
      if (!name) continue;
      const port = here.child('ports').index(i);
      const first = seen.get(name);
      if (!first) seen.set(name, port);
      else {
        const what = `duplicate port name ${quote(name)} with ${first}, services and probes that select ports by name will use ${first}`;
        warnings.push(`${port}: ${what}`);
      }
    }
  };
  for (const [i, container] of (spec.containers ?? []).entries()) visit(container, at.child('containers').index(i));
  for (const [i, container] of (spec.initContainers ?? []).entries()) {
    if (isRestartableInitContainer(container)) visit(container, at.child('initContainers').index(i));
  }
}

function nullSelectorWarnings(warnings: string[], affinity: Affinity, at: Path): void {
  const warn = (term: PodAffinityTerm, here: Path): void => {
    if (!term.labelSelector)
      warnings.push(`${here.child('labelSelector')}: a null labelSelector results in matching no pod`);
  };
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const here = at.child(side);
    for (const [i, term] of (affinity[side]?.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
      warn(term, here.child('requiredDuringSchedulingIgnoredDuringExecution').index(i));
    }
    for (const [i, { podAffinityTerm }] of (
      affinity[side]?.preferredDuringSchedulingIgnoredDuringExecution ?? []
    ).entries()) {
      warn(
        podAffinityTerm,
        here.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('podAffinityTerm'),
      );
    }
  }
}
