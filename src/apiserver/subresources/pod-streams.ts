/** pods/exec, attach and portforward: the client's connection is joined with one to the kubelet of the pod's node. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { schema } from '../../api/index.ts';
import { quote } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { clientHost, proxyUpgrade } from '../dial/index.ts';
import { isTrue } from '../request/request-info.ts';
import type { Result } from '../request/request.ts';
import type { Scope } from '../verbs/scope.ts';
import { containerOf } from './pod-container.ts';

type Stream = 'exec' | 'attach' | 'portforward';

const OPTION_KINDS: Record<Stream, string> = {
  exec: 'PodExecOptions',
  attach: 'PodAttachOptions',
  portforward: 'PodPortForwardOptions',
};
/** The kubelet's names of the parameters. */
const FLAGS = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' } as const;

export const connectStream =
  (stream: Stream) =>
  async (scope: Scope): Promise<Result> => {
    const { request, place, backend } = scope;
    if (stream === 'portforward') checkPorts(request.query.getAll('ports'));
    await admitConnection(scope, OPTION_KINDS[stream]);
    const { object } = await backend.objects.get(scope.served, place);
    const pod = object as Pod & KubeObject;
    const container =
      stream === 'portforward' ? '' : containerOf(place.name, pod.spec!, request.query.get('container') ?? '');
    if (!pod.spec?.nodeName) throw badRequest(`pod ${place.name} does not have a host assigned`);
    const target = await backend.kubelet.target(pod.spec.nodeName);
    if (!request.upgrade) throw badRequest('Upgrade request required');
    const query = streamQuery(stream, request.query).toString();
    const location =
      stream === 'portforward'
        ? `/portForward/${place.namespace}/${place.name}`
        : `/${stream}/${place.namespace}/${place.name}/${container}`;
    const path = query === '' ? location : `${location}?${query}`;
    const headers = clientHost(request.headers);
    return { type: 'response', response: await proxyUpgrade(backend.dialer, { request, target, path, headers }) };
  };

const MAX_PORT = 65_535;

function checkPorts(given: readonly string[]): void {
  for (const port of given.flatMap((text) => text.split(','))) {
    const problem = !/^\d+$/.test(port) ? 'invalid syntax' : BigInt(port) > MAX_PORT ? 'value out of range' : undefined;
    if (problem !== undefined)
      throw badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${quote(port)}: ${problem}`);
  }
}

/** Admission of the CONNECT operation. */
export async function admitConnection(scope: Scope, kind: string): Promise<void> {
  const { admission } = scope.backend;
  const options = connectionOptions(kind, scope.request.query);
  const attributes = attributesOf(scope, {
    operation: 'CONNECT',
    object: options,
    name: scope.place.name,
    options: undefined,
    dryRun: false,
    kind: { group: '', version: 'v1', kind },
  });
  await admission.admit(attributes);
  await admission.validate(attributes);
}

/** The query parameters as the fields of the options object. */
function connectionOptions(kind: string, query: URLSearchParams): KubeObject {
  const options = { apiVersion: 'v1', kind, metadata: {} } as KubeObject;
  for (const { name, type } of schema.kind({ group: '', version: 'v1', kind })?.fields ?? []) {
    const values = query.getAll(name);
    const [value] = values;
    if (value === undefined) continue;
    if (type.kind === 'list')
      options[name] = type.element.kind === 'scalar' && type.element.scalar === 'int32' ? values.map(Number) : values;
    else if (type.kind === 'scalar' && type.scalar === 'bool') {
      if (isTrue(value)) options[name] = true;
    } else if (value !== '') options[name] = value;
  }
  return options;
}

function streamQuery(stream: Stream, given: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  if (stream === 'portforward') {
    const ports = given.getAll('ports').flatMap((text) => text.split(','));
    for (const port of ports.filter((text) => text !== '')) query.append('port', port);
    return query;
  }
  for (const [name, flag] of Object.entries(FLAGS))
    if (given.has(name) && isTrue(given.get(name))) query.set(flag, '1');
  for (const command of stream === 'exec' ? given.getAll('command') : []) query.append('command', command);
  return query;
}
