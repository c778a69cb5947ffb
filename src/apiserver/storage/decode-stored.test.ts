import { describe, expect, it } from 'vitest';
import { schema, storedSchema } from '../../api/index.ts';
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

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = { selector: { matchLabels: { a: 'b' } }, template };

/** Stored apiVersion and kind, what of it differs, served apiVersion, what becomes of it. */
const REMOVED: readonly [string, string, object, string, object][] = [
  [
    'extensions/v1beta1',
    'Deployment',
    { metadata: { name: 'a' }, spec: { ...workload, rollbackTo: { revision: 3 } } },
    'apps/v1',
    {
      metadata: { name: 'a', annotations: { 'deprecated.deployment.rollback.to': '3' } },
      spec: { revisionHistoryLimit: 2147483647, progressDeadlineSeconds: 2147483647 },
    },
  ],
  [
    'apps/v1beta1',
    'Deployment',
    { metadata: { name: 'a' }, spec: workload },
    'apps/v1',
    { spec: { revisionHistoryLimit: 2, progressDeadlineSeconds: 600, strategy: { type: 'RollingUpdate' } } },
  ],
  [
    'extensions/v1beta1',
    'DaemonSet',
    { metadata: { name: 'a' }, spec: { ...workload, templateGeneration: 4 } },
    'apps/v1',
    {
      metadata: { name: 'a', annotations: { 'deprecated.daemonset.template.generation': '4' } },
      spec: { updateStrategy: { type: 'OnDelete' } },
    },
  ],
  ...['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map((version): (typeof REMOVED)[number] => [
    version,
    'Ingress',
    {
      metadata: { name: 'a' },
      spec: {
        backend: { serviceName: 's', servicePort: 80 },
        rules: [{ host: 'h', http: { paths: [{ path: '/', backend: { serviceName: 't', servicePort: 'web' } }] } }],
      },
    },
    'networking.k8s.io/v1',
    {
      spec: {
        defaultBackend: { service: { name: 's', port: { number: 80 } } },
        rules: [
          {
            host: 'h',
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'ImplementationSpecific',
                  backend: { service: { name: 't', port: { name: 'web' } } },
                },
              ],
            },
          },
        ],
      },
    },
  ]),
  [
    'discovery.k8s.io/v1beta1',
    'EndpointSlice',
    {
      metadata: { name: 'a' },
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['10.0.0.1'],
          nodeName: 'n',
          topology: { 'kubernetes.io/hostname': 'n', 'topology.kubernetes.io/zone': 'z', other: 'o' },
          hints: { forZones: [{ name: 'z' }] },
        },
      ],
    },
    'discovery.k8s.io/v1',
    {
      endpoints: [
        { nodeName: 'n', zone: 'z', deprecatedTopology: { other: 'o' }, hints: { forZones: [{ name: 'z' }] } },
      ],
    },
  ],
  ...['v1beta1', 'v1beta2'].map((version): (typeof REMOVED)[number] => [
    `flowcontrol.apiserver.k8s.io/${version}`,
    'PriorityLevelConfiguration',
    { metadata: { name: 'a' }, spec: { type: 'Limited', limited: { assuredConcurrencyShares: 7 } } },
    'flowcontrol.apiserver.k8s.io/v1',
    { spec: { limited: { nominalConcurrencyShares: 7, lendablePercent: 0 } } },
  ]),
  [
    'node.k8s.io/v1alpha1',
    'RuntimeClass',
    { metadata: { name: 'a' }, spec: { runtimeHandler: 'runsc', overhead: { podFixed: { cpu: '1' } } } },
    'node.k8s.io/v1',
    { handler: 'runsc', overhead: { podFixed: { cpu: '1' } } },
  ],
  [
    'policy/v1beta1',
    'PodDisruptionBudget',
    { metadata: { name: 'a' }, spec: { minAvailable: 1, selector: {} } },
    'policy/v1',
    {
      spec: {
        minAvailable: 1,
        selector: {
          matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }],
        },
      },
    },
  ],
  [
    'rbac.authorization.k8s.io/v1alpha1',
    'Role',
    { metadata: { name: 'a' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
    'rbac.authorization.k8s.io/v1',
    { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  ],
  [
    'rbac.authorization.k8s.io/v1alpha1',
    'RoleBinding',
    {
      metadata: { name: 'a' },
      subjects: [
        { kind: 'User', name: '*' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n', apiVersion: 'v1' },
      ],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    },
    'rbac.authorization.k8s.io/v1',
    {
      subjects: [
        { kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
  ],
  [
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    {
      metadata: { name: 'a' },
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 55,
      },
    },
    'autoscaling/v2',
    {
      spec: {
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 55 } } },
        ],
      },
    },
  ],
  [
    'resource.k8s.io/v1beta1',
    'ResourceClaim',
    { metadata: { name: 'a' }, spec: { devices: { requests: [{ name: 'r', deviceClassName: 'gpu' }] } } },
    'resource.k8s.io/v1',
    { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } } },
  ],
];

describe('a stored object of a version with other fields', () => {
  const gvkOf = (apiVersion: string, kind: string) => {
    const [group = '', version = ''] = apiVersion.split('/');
    return { group, version, kind };
  };

  it.each(REMOVED)('%s %s', (apiVersion, kind, fields, servedAs, expected) => {
    const bytes = encodeProtobuf(storedSchema.kind(gvkOf(apiVersion, kind))!, fields, { apiVersion, kind });
    for (const value of [bytes, JSON.stringify({ kind, apiVersion, ...fields })]) {
      const { object } = read(value);
      expect(object).toMatchObject({ apiVersion: servedAs, kind, ...expected });
      for (const path of ['rollbackTo', 'templateGeneration', 'backend', 'runtimeHandler'])
        expect(object['spec'] ?? {}).not.toHaveProperty(path);
    }
  });

  it.each([
    ['autoscaling/v2beta1', 'HorizontalPodAutoscaler'],
    ['certificates.k8s.io/v1alpha1', 'PodCertificateRequest'],
    ['scheduling.k8s.io/v1alpha1', 'Workload'],
    ['apps/v9', 'Deployment'],
  ])('%s %s is refused by name', (apiVersion, kind) => {
    const refusal = `no kind "${kind}" is registered for version "${apiVersion}"`;
    const fields = { metadata: { name: 'a' } };
    const message = storedSchema.kind(gvkOf(apiVersion, kind)) ?? schema.kind(gvkOf('apps/v1', kind))!;
    expect(() => read(Buffer.from(encodeProtobuf(message, fields, { apiVersion, kind })))).toThrow(refusal);
    expect(() => read(JSON.stringify({ kind, apiVersion, ...fields }))).toThrow(refusal);
    expect(() => read(`${JSON.stringify({ apiVersion, kind, ...fields })}\n`)).toThrow(refusal);
  });
});
