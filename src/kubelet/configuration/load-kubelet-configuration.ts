/** Decodes a KubeletConfiguration file strictly, with upstream's error messages. */
import { parse, YAMLParseError } from 'yaml';
import { errorMessage, isRecord, parseDuration } from '../../base/index.ts';
import type { Field } from './fields.ts';
import { DEFAULT_KUBELET_CONFIGURATION, KUBELET_FIELDS, type KubeletConfiguration } from './kubelet-configuration.ts';
import { validateKubeletConfiguration } from './validate-kubelet-configuration.ts';

const API_VERSION = 'kubelet.config.k8s.io/v1beta1';
const KIND = 'KubeletConfiguration';

class KubeletConfigurationError extends Error {
  override readonly name = 'KubeletConfigurationError';
  readonly code = 'kubelet-configuration';
}

export function loadKubeletConfiguration(
  text: string,
  base: KubeletConfiguration = DEFAULT_KUBELET_CONFIGURATION,
): KubeletConfiguration {
  const document = read(text);
  const { apiVersion, kind, ...rest } = document;
  if (typeof kind !== 'string' || kind === '')
    throw new KubeletConfigurationError(`Object 'Kind' is missing in '${JSON.stringify(document)}'`);
  if (apiVersion === undefined || apiVersion === '')
    throw new KubeletConfigurationError(`Object 'apiVersion' is missing in '${JSON.stringify(document)}'`);
  if (apiVersion !== API_VERSION || kind !== KIND)
    throw new KubeletConfigurationError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/kubelet/apis/config/scheme/scheme.go:33"`,
    );
  const unknown = Object.keys(rest).filter((name) => !Object.hasOwn(KUBELET_FIELDS, name));
  if (unknown.length > 0)
    throw new KubeletConfigurationError(
      `strict decoding error: ${unknown.map((name) => `unknown field ${JSON.stringify(name)}`).join(', ')}`,
    );
  const given: KubeletConfiguration = { ...base, ...fieldsOf(rest) };
  // evictionHard replaces the default thresholds, unless mergeDefaultEvictionSettings is set.
  const configuration = given.mergeDefaultEvictionSettings
    ? { ...given, evictionHard: { ...DEFAULT_KUBELET_CONFIGURATION.evictionHard, ...given.evictionHard } }
    : given;
  validateKubeletConfiguration(configuration);
  return configuration;
}

const FIELDS: ReadonlyMap<string, Field> = new Map(Object.entries<Field>(KUBELET_FIELDS));

const fieldsOf = (document: Readonly<Record<string, unknown>>): Partial<KubeletConfiguration> =>
  Object.fromEntries(
    Object.entries(document).flatMap(([name, value]) => {
      const declared = FIELDS.get(name);
      return declared === undefined || value === null ? [] : [[name, convert(name, declared, value)]];
    }),
  );

/** A drop-in file: its fields replace those of the configuration, maps are merged, and null takes an entry away. */
export function mergeKubeletConfiguration(base: KubeletConfiguration, text: string): KubeletConfiguration {
  const merged = Object.entries(read(text)).map(([name, value]): [string, unknown] => {
    const before: unknown = base[name as keyof KubeletConfiguration];
    return [name, isRecord(before) ? applyMergePatch(before, value) : value];
  });
  return loadKubeletConfiguration(JSON.stringify(Object.fromEntries(merged)), base);
}

function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = applyMergePatch(result[name], value);
  }
  return result;
}

function read(text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = parse(text, { uniqueKeys: true });
  } catch (error) {
    if (error instanceof YAMLParseError && error.code === 'DUPLICATE_KEY')
      throw new KubeletConfigurationError(
        `strict decoding error: yaml: unmarshal errors:\n  ${error.message.split('\n')[0]}`,
      );
    throw new KubeletConfigurationError(`couldn't get version/kind; json parse error: ${errorMessage(error)}`);
  }
  if (!isRecord(document))
    throw new KubeletConfigurationError(`couldn't get version/kind; json parse error: the file holds no object`);
  return document;
}

const GO_TYPES: Readonly<Record<Field['kind'], string>> = {
  text: 'string',
  flag: 'bool',
  whole: 'int32',
  number: 'float64',
  duration: 'v1.Duration',
  texts: '[]string',
  pairs: 'map[string]string',
  flags: 'map[string]bool',
  durations: 'map[string]v1.Duration',
  objects: '[]v1beta1',
  object: 'v1beta1',
};

function convert(name: string, { kind }: Field, value: unknown): unknown {
  const wrong = (): never => {
    const given = Array.isArray(value)
      ? 'array'
      : isRecord(value)
        ? 'object'
        : typeof value === 'boolean'
          ? 'bool'
          : typeof value;
    throw new KubeletConfigurationError(
      `json: cannot unmarshal ${given} into Go struct field KubeletConfiguration.${name} of type ${GO_TYPES[kind]}`,
    );
  };
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? value : wrong();
    case 'flag':
      return typeof value === 'boolean' ? value : wrong();
    case 'whole':
      return Number.isInteger(value) ? value : wrong();
    case 'number':
      return typeof value === 'number' ? value : wrong();
    case 'duration':
      return typeof value === 'string' ? parseDuration(value) : wrong();
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : wrong();
    case 'pairs':
      return isRecord(value) &&
        Object.values(value).every((item) => typeof item === 'string' || typeof item === 'number')
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]))
        : wrong();
    case 'flags':
      return isRecord(value) && Object.values(value).every((item) => typeof item === 'boolean') ? value : wrong();
    case 'durations':
      return isRecord(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [key, typeof item === 'string' ? parseDuration(item) : wrong()]),
          )
        : wrong();
    case 'objects':
      return Array.isArray(value) && value.every(isRecord) ? value : wrong();
    case 'object':
      return isRecord(value) ? value : wrong();
  }
}
