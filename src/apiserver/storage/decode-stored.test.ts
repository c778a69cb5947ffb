import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeProtobuf } from '../../machinery/protobuf/index.ts';
import { decodeStored } from './decode-stored.ts';
import { parseStored } from './parse-stored.ts';
import { identityTransformer } from './transformer.ts';

const read = (value: string | Buffer): { object: KubeObject; value: string } => {
  const kv = { key: '/registry/x', value: Buffer.from(value), createRevision: 1, modRevision: 1, version: 1 };
  const decoded = decodeStored(identityTransformer, kv as never);
  return {
    object: decoded.object ?? parseStored(Buffer.from(decoded.value)),
    value: Buffer.from(decoded.value).toString(),
  };
};

const metadata = { name: 'widgets.example.com', uid: 'u' };
const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
const schemaOf = (field: string) => ({
  openAPIV3Schema: { type: 'object', properties: { [field]: { type: 'string' } } },
});
const stored = (spec: object): string =>
  `${JSON.stringify({ kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1beta1', metadata, spec, status: { conditions: [], acceptedNames: names, storedVersions: ['v1'] } })}\n`;

describe('a stored CustomResourceDefinition of v1beta1', () => {
  const served = { name: 'v1', served: true, storage: true };

  it('copies the schema, subresources and columns of all versions to each version', () => {
    const { object, value } = read(
      stored({
        group: 'example.com',
        version: 'v1',
        names,
        scope: 'Namespaced',
        validation: schemaOf('a'),
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }],
        selectableFields: [{ jsonPath: '.a' }],
        versions: [served, { name: 'v2', served: true, storage: false }],
        conversion: { strategy: 'None' },
        preserveUnknownFields: false,
      }),
    );
    const parts = {
      schema: schemaOf('a'),
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
      selectableFields: [{ jsonPath: '.a' }],
    };
    expect(object).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata,
      spec: {
        group: 'example.com',
        names,
        scope: 'Namespaced',
        conversion: { strategy: 'None' },
        versions: [
          { ...served, ...parts },
          { name: 'v2', served: true, storage: false, ...parts },
        ],
      },
    });
    expect(object['spec']).not.toHaveProperty('preserveUnknownFields');
    expect(object['spec']).not.toHaveProperty('validation');
    expect(value).toMatch(/^\{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io\/v1",.*\}$/);
  });

  it('keeps the fields of a version, and calls a webhook for conversion', () => {
    const { object } = read(
      stored({
        group: 'example.com',
        names,
        scope: 'Cluster',
        versions: [{ ...served, schema: schemaOf('b'), deprecated: true }],
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://a' } },
      }),
    );
    expect(object['spec']).toMatchObject({
      versions: [{ ...served, schema: schemaOf('b'), deprecated: true }],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1beta1'] },
      },
      preserveUnknownFields: true,
    });
  });

  it('has one version when it only names one', () => {
    const { object } = read(stored({ group: 'example.com', version: 'v3', names, scope: 'Cluster' }));
    expect(object['spec']).toMatchObject({ versions: [{ name: 'v3', served: true, storage: true }] });
  });
});

describe('other stored values', () => {
  it('of an older version with the same fields are decoded as the served version', () => {
    const message = schema.kind({ group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR' })!;
    const object = { metadata: { name: 'extra' }, spec: { cidrs: ['10.1.0.0/16'] } };
    const bytes = encodeProtobuf(message, object, { apiVersion: 'networking.k8s.io/v1beta1', kind: 'ServiceCIDR' });
    expect(read(Buffer.from(bytes)).object).toMatchObject({ apiVersion: 'networking.k8s.io/v1', ...object });
  });

  it('of a group that the kind has left are decoded as the served version', () => {
    const message = schema.kind({ group: 'apps', version: 'v1', kind: 'ReplicaSet' })!;
    const object = {
      metadata: { name: 'old' },
      spec: { replicas: 2, selector: {}, template: { spec: { containers: [] } } },
    };
    const typeMeta = { kind: 'ReplicaSet', apiVersion: 'extensions/v1beta1' };
    for (const value of [
      Buffer.from(encodeProtobuf(message, object, typeMeta)),
      `${JSON.stringify({ ...typeMeta, ...object })}\n`,
    ])
      expect(read(value).object).toMatchObject({
        apiVersion: 'apps/v1',
        metadata: { name: 'old' },
        spec: { replicas: 2 },
      });
  });

  it('of an unknown version are refused by name', () => {
    const message = schema.kind({ group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR' })!;
    const bytes = encodeProtobuf(message, {}, { apiVersion: 'networking.k8s.io/v9', kind: 'ServiceCIDR' });
    expect(() => read(Buffer.from(bytes))).toThrow(
      'no kind "ServiceCIDR" is registered for version "networking.k8s.io/v9"',
    );
  });

  it('lose the final newline of upstream, in either order of keys', () => {
    const ours = '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"n":1}}';
    const theirs = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"n":1}}';
    for (const text of [ours, `${ours}\n`, `${theirs}\n`]) expect(read(text).value).toBe(ours);
  });

  it('lose fields that the schema lacks', () => {
    const text =
      '{"kind":"ReplicaSet","apiVersion":"apps/v1","metadata":{"name":"a","creationTimestamp":null},"spec":{"selector":null,"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}}}\n';
    expect(read(text).value).not.toContain('creationTimestamp');
  });
});

it('gets the defaults that upstream sets when it reads, in JSON and in protobuf', () => {
  const claim = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'b' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    status: {},
  };
  const message = schema.kind({ group: '', version: 'v1', kind: 'PersistentVolumeClaim' })!;
  for (const value of [`${JSON.stringify(claim)}\n`, encodeProtobuf(message, claim, claim)])
    expect(read(value).object).toMatchObject({ spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } });
});
