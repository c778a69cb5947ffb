/** TracingConfiguration of component-base: the file of kube-apiserver, and the field of the kubelet's configuration. */
import { parse } from 'yaml';
import { isRecord, quote } from '../base/index.ts';

export interface TracingConfiguration {
  /** `host:port`, `dns:///host:port` or `unix:///path`. */
  readonly endpoint: string;
  /** Of requests that come without a decision of their caller. */
  readonly samplingRatePerMillion: number;
}

const DEFAULT_ENDPOINT = 'localhost:4317';
const MILLION = 1_000_000;
const KIND = 'TracingConfiguration';
const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);
const FIELDS: ReadonlySet<string> = new Set(['endpoint', 'samplingRatePerMillion']);

/** The text of a file of `--tracing-config-file`, YAML or JSON. Throws an error that names the wrong field. */
export function tracingConfigurationFrom(text: string): TracingConfiguration {
  const document: unknown = parse(text, { uniqueKeys: true });
  if (!isRecord(document)) throw new Error('unable to decode tracing configuration data: not an object');
  const { apiVersion, kind, ...fields } = document;
  if (kind !== KIND || !VERSIONS.includes(String(apiVersion)))
    throw new Error(`expected a ${KIND} of ${VERSIONS.join(', ')}, got ${String(kind)} of ${String(apiVersion)}`);
  const problems = tracingProblems(fields);
  if (problems.length > 0) throw new Error(`failed to validate tracing configuration: ${problems.join(', ')}`);
  return tracingOf(fields);
}

/** Fields that `tracingProblems` has found nothing wrong with. */
export function tracingOf(fields: Readonly<Record<string, unknown>>): TracingConfiguration {
  const { endpoint, samplingRatePerMillion } = fields as Partial<TracingConfiguration>;
  return { endpoint: endpoint ?? DEFAULT_ENDPOINT, samplingRatePerMillion: samplingRatePerMillion ?? 0 };
}

/** `path`: of the object that has the fields. */
export function tracingProblems(fields: Readonly<Record<string, unknown>>, path = ''): string[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const unknown = Object.keys(fields).filter((name) => !FIELDS.has(name));
  return [
    ...unknown.map((name) => `strict decoding error: unknown field ${quote(at(name))}`),
    ...rateProblems(fields['samplingRatePerMillion'] ?? 0, at('samplingRatePerMillion')),
    ...endpointProblems(fields['endpoint'] ?? DEFAULT_ENDPOINT, at('endpoint')),
  ];
}

function rateProblems(rate: unknown, path: string): string[] {
  if (typeof rate !== 'number' || !Number.isInteger(rate)) return [`${path}: must be a whole number`];
  if (rate < 0) return [`${path}: Invalid value: ${rate}: sampling rate must be positive`];
  return rate <= MILLION
    ? []
    : [`${path}: Invalid value: ${rate}: sampling rate per million must be less than or equal to one million`];
}

const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]{0,31}):\/\//;
const GRPC_NAMES = 'https://github.com/grpc/grpc/blob/master/doc/naming.md';

function endpointProblems(endpoint: unknown, path: string): string[] {
  if (typeof endpoint !== 'string') return [`${path}: must be a text`];
  const invalid = (why: string): string[] => [`${path}: Invalid value: ${quote(endpoint)}: ${why}`];
  const [, scheme = 'dns'] = SCHEME.exec(endpoint) ?? [];
  if (scheme === 'dns' || scheme === 'unix') return [];
  return scheme === 'unix-abstract'
    ? invalid('unix-abstract is not supported')
    : invalid(`unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See ${GRPC_NAMES}`);
}
