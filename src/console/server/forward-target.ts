/** What a forwarded port leads to: a port of a pod, or of a pod behind a Service, as `kubectl port-forward` selects it. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { isRecord } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import { badRequest, failure } from '../../machinery/errors/index.ts';

export interface ForwardTarget {
  readonly kind: 'pods' | 'services';
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Throws for anything that is no target. */
export function readTarget(body: unknown): ForwardTarget {
  if (!isRecord(body)) throw badRequest('a forwarded port is an object in JSON');
  const { kind, namespace, name, port } = body;
  if (kind !== 'pods' && kind !== 'services') throw badRequest('kind must be pods or services');
  if (typeof namespace !== 'string' || typeof name !== 'string' || namespace === '' || name === '')
    throw badRequest('namespace and name must be given');
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw badRequest('port must be a number from 1 to 65535');
  return { kind, namespace, name, port };
}

/** Found anew for each connection: the pods of a Service come and go. */
export async function podPortOf(client: Client, target: ForwardTarget): Promise<PodPort> {
  const { kind, namespace, name, port } = target;
  if (kind === 'pods') return { namespace, pod: name, port };
  const { spec } = await client.resource('v1/services').get({ namespace, name });
  const servicePort = spec?.ports?.find((each) => each.port === port);
  if (!servicePort) throw badRequest(`Service ${name} has no port ${port}`);
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0) throw badRequest(`Service ${name} selects no pods`);
  const labelSelector = selector.map(([key, value]) => `${key}=${value}`).join(',');
  const { items } = await client.resource('v1/pods').list({ namespace, labelSelector });
  const ready = items.find((each) => !each.metadata.deletionTimestamp && isPodReady(each));
  if (!ready) throw failure(503, 'ServiceUnavailable', `No pod of Service ${name} is ready.`, {});
  const wanted = servicePort.targetPort ?? port;
  const found = typeof wanted === 'number' ? wanted : portNamed(ready, wanted);
  if (found === undefined) throw badRequest(`pod ${ready.metadata.name} has no port ${wanted}`);
  return { namespace, pod: ready.metadata.name!, port: found };
}

const portNamed = (pod: Pod, name: string): number | undefined =>
  pod.spec?.containers.flatMap(({ ports = [] }) => ports).find((port) => port.name === name)?.containerPort;
