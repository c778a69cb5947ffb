import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { KubeObject } from '../object.ts';
import { partialObjectMetadataList, printTable, scalePrinter, tablePrinter } from './index.ts';

const now = Date.parse('2026-02-01T00:00:00Z');
const secrets = schema.resource('', 'v1', 'secrets')!;
const secret = (name: string): KubeObject => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name, namespace: 'ns', resourceVersion: '7', creationTimestamp: '2026-01-31T23:55:00Z' },
  data: { a: 'eA==', b: 'eA==' },
  type: 'Opaque',
});

describe('printTable', () => {
  it('has columns, cells and the metadata of the objects', () => {
    expect(printTable(secrets, [secret('s')], { now, metadata: { resourceVersion: '9' } })).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '9' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: expect.any(String), priority: 0 },
        { name: 'Type', type: 'string', format: '', description: '', priority: 0 },
        { name: 'Data', type: 'string', format: '', description: '', priority: 0 },
        { name: 'Age', type: 'string', format: '', description: expect.any(String), priority: 0 },
      ],
      rows: [
        {
          cells: ['s', 'Opaque', 2, '5m'],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: secret('s').metadata },
        },
      ],
    });
  });

  it.each([
    { includeObject: 'None' as const, expected: null },
    { includeObject: 'Object' as const, expected: secret('s') },
    {
      includeObject: 'Metadata' as const,
      expected: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: secret('s').metadata },
    },
  ])('shows of the object: $includeObject', ({ includeObject, expected }) => {
    const table = printTable(secrets, [secret('s')], { now, includeObject, version: 'v1beta1' });
    expect(table.apiVersion).toBe('meta.k8s.io/v1beta1');
    expect(table.rows[0]!.object).toEqual(expected);
  });

  it('leaves out the columns of later watch events', () => {
    expect(printTable(secrets, [], { now, withoutColumns: true }).columnDefinitions).toBeNull();
  });

  it('has name and creation time for kinds without columns', () => {
    const roles = schema.resource('rbac.authorization.k8s.io', 'v1', 'roles')!;
    const table = printTable(roles, [{ ...secret('r'), kind: 'Role' }], { now });
    expect(table.columnDefinitions!.map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Created At', 'date'],
    ]);
    expect(table.rows[0]!.cells).toEqual(['r', '2026-01-31T23:55:00Z']);
  });

  it('shows a scale', () => {
    const scale = { ...secret('w'), kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 2 } };
    expect(printTable(scalePrinter, [scale], { now }).rows[0]!.cells).toEqual(['w', 3, 2, '5m']);
  });

  const listed = schema.resources.filter((resource) => resource.columns.length > 0);
  it.each(listed)('has a cell for each declared column: $group/$version $plural', (resource) => {
    const printer = tablePrinter(resource);
    expect(printer.columns.map((column) => column.name)).toEqual(resource.columns.map((column) => column.name));
    const bare: KubeObject = {
      apiVersion: 'x',
      kind: resource.kind,
      metadata: { name: 'bare' },
      ...requiredParts(resource.plural),
    };
    const cells = printer.cells(bare, now);
    expect(cells).toHaveLength(resource.columns.length);
    expect(cells).toContain('bare');
  });
});

/** What validation makes sure of, and printing counts on. */
function requiredParts(plural: string): Record<string, unknown> {
  if (plural.endsWith('rolebindings')) return { roleRef: { kind: 'Role', name: 'r' } };
  if (plural === 'horizontalpodautoscalers') return { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' } } };
  return {};
}

describe('partialObjectMetadataList', () => {
  it('keeps the metadata of the list and of its items', () => {
    expect(partialObjectMetadataList({ metadata: { resourceVersion: '3' }, items: [secret('a')] })).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '3' },
      items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: secret('a').metadata }],
    });
  });
});
