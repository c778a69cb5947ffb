/** The environment variables of a container: from services, envFrom and env. Later sources override earlier ones. */
import type { ConfigMap, Container, EnvVar, EphemeralContainer, Secret, Service } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import { expand } from './expand.ts';
import { envFieldValue, resourceFieldValue, type PodFacts } from './field-value.ts';
import { serviceVariables } from './service-variables.ts';

/** Objects that variables refer to; undefined for those that do not exist. */
export interface EnvironmentSources {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  services(): readonly Service[];
  /** The content of a file in a volume of the pod, for fileKeyRef. */
  file(volumeName: string, path: string): Promise<string | undefined>;
}

interface EnvironmentInput extends PodFacts {
  readonly container: Container | EphemeralContainer;
  readonly sources: EnvironmentSources;
  /** Called for keys of envFrom that are not valid variable names. */
  readonly onInvalidNames: (message: string) => void;
}

/** The container waits with the reason CreateContainerConfigError. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
  readonly code = 'container-config';
}

export async function environmentVariables(input: EnvironmentInput): Promise<Map<string, string>> {
  const { pod, container, sources } = input;
  const namespace = pod.metadata.namespace ?? '';
  const services = serviceVariables(sources.services(), namespace, pod.spec?.enableServiceLinks ?? true);
  const result = new Map<string, string>();
  for (const from of container.envFrom ?? []) await addAll(result, from, input, namespace);
  // $(NAME) may refer to service variables, but variables of the container override them.
  const lookup = (name: string): string | undefined => result.get(name) ?? services.get(name);
  for (const variable of container.env ?? []) {
    const value = await valueOf(variable, input, namespace, lookup);
    if (value !== undefined) result.set(variable.name, value);
  }
  for (const [name, value] of services) if (!result.has(name)) result.set(name, value);
  return result;
}

async function addAll(
  result: Map<string, string>,
  from: NonNullable<Container['envFrom']>[number],
  { sources, onInvalidNames }: EnvironmentInput,
  namespace: string,
): Promise<void> {
  const { prefix = '', configMapRef, secretRef } = from;
  const invalid: string[] = [];
  const set = (key: string, value: string): void => {
    const name = prefix + key;
    if (isEnvName(name)) result.set(name, value);
    else invalid.push(key);
  };
  if (configMapRef !== undefined) {
    const name = configMapRef.name ?? '';
    const found = await sources.configMap(namespace, name);
    if (found === undefined && configMapRef.optional !== true)
      throw new ContainerConfigError(`configmap ${JSON.stringify(name)} not found`);
    for (const [key, value] of Object.entries(found?.data ?? {})) set(key, value);
    report(invalid, 'configmap', `${namespace}/${name}`, onInvalidNames);
  }
  if (secretRef !== undefined) {
    const name = secretRef.name ?? '';
    const found = await sources.secret(namespace, name);
    if (found === undefined && secretRef.optional !== true)
      throw new ContainerConfigError(`secret ${JSON.stringify(name)} not found`);
    for (const [key, value] of Object.entries(found?.data ?? {})) set(key, Buffer.from(value, 'base64').toString());
    report(invalid, 'secret', `${namespace}/${name}`, onInvalidNames);
  }
}

function report(invalid: string[], kind: string, name: string, tell: (message: string) => void): void {
  if (invalid.length > 0)
    tell(
      `Keys [${invalid.toSorted().join(', ')}] from the EnvFrom ${kind} ${name} were skipped since they are considered invalid environment variable names.`,
    );
}

const isEnvName = (name: string): boolean => name !== '' && /^[\x20-\x3c\x3e-\x7e]+$/.test(name);

async function valueOf(
  variable: EnvVar,
  input: EnvironmentInput,
  namespace: string,
  lookup: (name: string) => string | undefined,
): Promise<string | undefined> {
  const { value, valueFrom } = variable;
  if (valueFrom === undefined) return expand(value ?? '', lookup);
  const { sources, pod, container } = input;
  if (valueFrom.fieldRef !== undefined) return envFieldValue(valueFrom.fieldRef.fieldPath, input);
  if (valueFrom.resourceFieldRef !== undefined) {
    const { containerName } = valueFrom.resourceFieldRef;
    const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    const target = containerName ? all.find(({ name }) => name === containerName) : container;
    if (target === undefined) throw new ContainerConfigError(`container ${containerName} not found`);
    return resourceFieldValue(valueFrom.resourceFieldRef, target, input);
  }
  if (valueFrom.configMapKeyRef !== undefined) {
    const { name = '', key, optional } = valueFrom.configMapKeyRef;
    const found = await sources.configMap(namespace, name);
    if (found === undefined) return missing(optional, `configmap ${JSON.stringify(name)} not found`);
    const text = ownValue(found.data, key);
    return text ?? missing(optional, `couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
  }
  if (valueFrom.secretKeyRef !== undefined) {
    const { name = '', key, optional } = valueFrom.secretKeyRef;
    const found = await sources.secret(namespace, name);
    if (found === undefined) return missing(optional, `secret ${JSON.stringify(name)} not found`);
    const data = ownValue(found.data, key);
    return data === undefined
      ? missing(optional, `couldn't find key ${key} in Secret ${namespace}/${name}`)
      : Buffer.from(data, 'base64').toString();
  }
  if (valueFrom.fileKeyRef !== undefined) {
    const { volumeName, path, key, optional } = valueFrom.fileKeyRef;
    const text = await sources.file(volumeName, path);
    if (text === undefined)
      return missing(optional, `couldn't parse env file: open ${path}: no such file or directory`);
    return (
      parseEnvFile(text).get(key) ??
      missing(optional, `environment variable key ${JSON.stringify(key)} not found in file ${JSON.stringify(path)}`)
    );
  }
  return undefined;
}

function missing(optional: boolean | undefined, message: string): undefined {
  if (optional !== true) throw new ContainerConfigError(message);
  return undefined;
}

/** `KEY=value` lines, quoted or not; comments and empty lines are skipped. */
function parseEnvFile(text: string): Map<string, string> {
  const result = new Map<string, string>();
  for (const line of text.split('\n')) {
    const equals = line.indexOf('=');
    const key = line.slice(0, Math.max(0, equals)).trim();
    if (key === '' || key.startsWith('#')) continue;
    const raw = line.slice(equals + 1).trim();
    result.set(key, /^'.*'$|^".*"$/.test(raw) ? raw.slice(1, -1) : raw);
  }
  return result;
}
