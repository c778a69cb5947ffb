/** Other forms of an object: metadata only, a table, protobuf. */
import { apiVersionOf } from '../../api/index.ts';
import { quote } from '../../base/index.ts';
import { conform } from '../../machinery/decode/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { printTable, scalePrinter } from '../../machinery/table/index.ts';
import { storedMetadata, type ServedResource } from '../registry/served-resource.ts';
import type { Scope } from './scope.ts';

export function asPartialMetadata(served: ServedResource, object: KubeObject, version: string): KubeObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: storedMetadata(served, object),
  };
}

/** Upstream's name of the Go type, such as `*core.Secret`. */
export const internalType = (served: ServedResource, suffix: string): string =>
  `*${CORE_GROUPS.includes(served.group) ? 'core' : served.group.split('.')[0]}.${served.kind}${suffix}`;

/** Events of both groups are one type. */
const CORE_GROUPS = ['', 'events.k8s.io'];

export function asTable(scope: Scope, objects: readonly KubeObject[], resourceVersion: string | undefined): KubeObject {
  const { served, request, backend, negotiated } = scope;
  const includeObject = request.query.get('includeObject') ?? '';
  if (!['', 'None', 'Metadata', 'Object'].includes(includeObject)) {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${quote(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  const version = negotiated.as?.version ?? 'v1';
  const subject = scope.subresource === 'scale' ? scalePrinter : (served.printer ?? served);
  const table = printTable(subject, objects, {
    now: backend.ctx.clock.now(),
    includeObject: (includeObject || 'Metadata') as 'None' | 'Metadata' | 'Object',
    version,
  });
  const rows =
    (served.conversion || served.strategy.internalMetadata) && !served.custom && includeObject !== 'Object'
      ? table.rows.map((row) => withStoredMetadata(served, row))
      : table.rows;
  return { ...table, rows, metadata: resourceVersion ? { resourceVersion } : {} } as unknown as KubeObject;
}

const withStoredMetadata = <Row extends { object?: unknown }>(served: ServedResource, row: Row): Row =>
  row.object ? { ...row, object: { ...row.object, metadata: storedMetadata(served, row.object as KubeObject) } } : row;

/** The kind's zero value, which bookmarks carry. */
export function zeroObject(served: ServedResource): KubeObject {
  const known = zeroObjects.get(served) ?? newZeroObject(served);
  zeroObjects.set(served, known);
  return known;
}

/** Every watch sends one a minute, in a bookmark. */
const zeroObjects = new WeakMap<ServedResource, KubeObject>();

function newZeroObject(served: ServedResource): KubeObject {
  const typeMeta = { kind: served.kind, apiVersion: apiVersionOf(served) };
  if (served.custom) return { ...typeMeta, metadata: {} };
  const zero = { ...typeMeta, ...(conform(served.message, { metadata: {} }).object as object) } as KubeObject;
  const { tracked, zeroSpec } = served.strategy;
  const whole = zeroSpec ? { ...zero, spec: { ...zeroSpec, ...(zero['spec'] as object) } } : zero;
  return tracked?.(whole) ?? whole;
}
