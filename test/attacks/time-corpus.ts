import { gzipSync } from 'node:zlib';

/** A request of at most 1 MB that is meant to keep the server busy. */
export interface CostlyRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | object;
  /** Sent without credentials. */
  readonly anonymous?: boolean;
  /** Objects that must be there; made once, not measured. */
  readonly prepare?: readonly { readonly path: string; readonly body: object }[];
  /** Also sent in the short form of the test: it once stopped the server. */
  readonly always?: boolean;
  /** An answer that goes on is left after this time. */
  readonly cutOffMs?: number;
}

const MEGABYTE = 1_000_000;
const NAMESPACE = '/api/v1/namespaces/default';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const list = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** As many as fit into a megabyte. */
const fill = <T>(make: (i: number) => T, share = 0.9): T[] =>
  list(Math.floor((MEGABYTE * share) / (JSON.stringify(make(99_999)).length + 1)), make);
const record = <T>(entries: readonly (readonly [string, T])[]): Record<string, T> => Object.fromEntries(entries);
const fillRecord = <T>(make: (i: number) => readonly [string, T], share = 0.9): Record<string, T> =>
  record(fill(make, share));

const configMap = (name: string, rest: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...rest,
});
const secret = (name: string, rest: object): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  ...rest,
});
const CONTAINER = { name: 'c', image: 'i' };
const pod = (name: string, spec: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [CONTAINER], ...spec },
});
const inContainer = (name: string, fields: object): object => pod(name, { containers: [{ ...CONTAINER, ...fields }] });
const LABELS = { matchLabels: { a: 'b' } };
const rbac = (kind: string, name: string, rest: object): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name },
  ...rest,
});
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const NETWORKING = '/apis/networking.k8s.io/v1/namespaces/default';

type Schema = Record<string, unknown>;
const definition = (plural: string, spec: Schema, more: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.costly.test` },
  spec: {
    group: 'costly.test',
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: plural.toUpperCase() },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        ...more,
      },
    ],
  },
});
const custom = (plural: string, name: string, spec: unknown, metadata: object = {}): object => ({
  apiVersion: 'costly.test/v1',
  kind: plural.toUpperCase(),
  metadata: { name, ...metadata },
  spec,
});
const customs = (plural: string): string => `/apis/costly.test/v1/namespaces/default/${plural}`;

const post = (
  name: string,
  path: string,
  body: Buffer | string | object,
  headers?: Record<string, string>,
): CostlyRequest => ({ name, method: 'POST', path, body, ...(headers ? { headers } : {}) });
const YAML = { 'content-type': 'application/yaml' };
const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };
const PATCHES = {
  json: { 'content-type': 'application/json-patch+json' },
  merge: { 'content-type': 'application/merge-patch+json' },
  strategic: { 'content-type': 'application/strategic-merge-patch+json' },
  apply: { 'content-type': 'application/apply-patch+yaml' },
};
const patch = (
  name: string,
  type: keyof typeof PATCHES,
  target: { path: string; objects: string; object: object },
  body: string | object,
): CostlyRequest => ({
  name,
  method: 'PATCH',
  path: type === 'apply' ? `${target.path}?fieldManager=m&force=true` : target.path,
  headers: PATCHES[type],
  body,
  prepare: [{ path: target.objects, body: target.object }],
});

const longPath = `/${'a1:'.repeat(20_000)}`;
const jwt = (header: string): string =>
  [header, JSON.stringify({ iss: 'https://kubernetes.default.svc.cluster.local' }), 'x']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

/** What anybody can send. */
const anonymous: CostlyRequest[] = [
  {
    name: 'a broken token for a long path',
    method: 'GET',
    path: longPath,
    headers: { authorization: `Bearer ${jwt('{')}` },
  },
  { name: 'a long token', method: 'GET', path: '/api', headers: { authorization: `Bearer ${'eyJ-'.repeat(12_000)}` } },
  {
    name: 'a header of credentials that is all space',
    method: 'GET',
    path: '/api',
    headers: { authorization: `bearer${' '.repeat(50_000)}x` },
  },
  { name: 'a long path', method: 'GET', path: longPath },
  { name: 'many segments', method: 'GET', path: '/a'.repeat(30_000) },
  { name: 'an escaped path', method: 'GET', path: `/${'%41'.repeat(20_000)}` },
  { name: 'many parameters', method: 'GET', path: `/api/v1/pods?${list(10_000, (i) => `a${i}=b`).join('&')}` },
  { name: 'one parameter many times', method: 'GET', path: `/api/v1/pods?${'a=b&'.repeat(15_000)}` },
  { name: 'a long selector', method: 'GET', path: `/version?labelSelector=${'a,'.repeat(30_000)}` },
  {
    name: 'a long list of accepted types',
    method: 'GET',
    path: '/version',
    headers: { accept: 'application/json;q=0.1,'.repeat(2_000) },
  },
  {
    name: 'a type with many parameters',
    method: 'GET',
    path: '/version',
    headers: { accept: `application/json${';a=b'.repeat(10_000)}` },
  },
  {
    name: 'a type that is all space',
    method: 'GET',
    path: '/version',
    headers: { accept: `application/json;${' '.repeat(50_000)}x` },
  },
  {
    name: 'many encodings',
    method: 'GET',
    path: '/openapi/v2',
    headers: { 'accept-encoding': 'gzip;q=0,'.repeat(5_000) },
  },
  { name: 'many ETags', method: 'GET', path: '/openapi/v3', headers: { 'if-none-match': '"x",'.repeat(10_000) } },
  {
    name: 'impersonation headers',
    method: 'GET',
    path: '/api',
    headers: { 'impersonate-user': 'u', 'impersonate-group': 'g,'.repeat(20_000) },
  },
  {
    name: 'many extra headers',
    method: 'GET',
    path: '/api',
    headers: record(list(500, (i) => [`impersonate-extra-${i}%41`, 'x'])),
  },
  {
    name: 'WebSocket protocols',
    method: 'GET',
    path: '/api',
    headers: { 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.,'.repeat(1_000) },
  },
  { name: 'a body that nobody reads', method: 'POST', path: `${NAMESPACE}/pods`, body: 'x'.repeat(MEGABYTE * 0.9) },
];

/** Documents that are large or odd as such. */
const documents: CostlyRequest[] = [
  post('one long text', `${NAMESPACE}/configmaps`, configMap('text', { data: { a: 'x'.repeat(MEGABYTE * 0.9) } })),
  post(
    'one text of escapes',
    `${NAMESPACE}/configmaps`,
    configMap('escapes', { data: { a: '"\\\n'.repeat(150_000) } }),
  ),
  post('many keys', `${NAMESPACE}/configmaps`, configMap('keys', { data: fillRecord((i) => [`k${i}`, '']) })),
  post('many bad keys', `${NAMESPACE}/configmaps`, configMap('bad-keys', { data: fillRecord((i) => [`k/${i}`, '']) })),
  post(
    'many binary keys',
    `${NAMESPACE}/configmaps`,
    configMap('binary', { binaryData: fillRecord((i) => [`k${i}`, 'AA==']) }),
  ),
  post(
    'many unknown fields',
    `${NAMESPACE}/configmaps?fieldValidation=Strict`,
    configMap(
      'unknown',
      fillRecord((i) => [`f${i}`, 1]),
    ),
  ),
  post(
    'many unknown fields, with warnings',
    `${NAMESPACE}/configmaps?dryRun=All`,
    configMap(
      'unknown',
      fillRecord((i) => [`f${i}`, 1]),
    ),
  ),
  post(
    'one key many times',
    `${NAMESPACE}/configmaps?fieldValidation=Strict`,
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{${'"a":"b",'.repeat(110_000)}"a":"b"}}`,
  ),
  post(
    'many keys twice',
    `${NAMESPACE}/configmaps?fieldValidation=Strict`,
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{${list(45_000, (i) => `"k${i % 20_000}":"b"`).join()}}}`,
  ),
  post(
    'deep nesting',
    `${NAMESPACE}/configmaps`,
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`,
  ),
  post('deep lists', `${NAMESPACE}/configmaps`, '['.repeat(MEGABYTE * 0.9)),
  post('lists of nothing', `${NAMESPACE}/configmaps?fieldValidation=Strict`, configMap('lists', { x: fill(() => []) })),
  post(
    'a long number',
    `${NAMESPACE}/configmaps`,
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n","generation":${'1'.repeat(900_000)}}}`,
  ),
  post(
    'a long fraction',
    `${NAMESPACE}/pods`,
    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"spec":{"activeDeadlineSeconds":1.${'1'.repeat(900_000)}}}`,
  ),
  post(
    'many annotations',
    `${NAMESPACE}/configmaps`,
    configMap('annotations', {}, { annotations: fillRecord((i) => [`k${i}`, '']) }),
  ),
  post(
    'many bad annotations',
    `${NAMESPACE}/configmaps`,
    configMap('bad-annotations', {}, { annotations: fillRecord((i) => [`k//${i}`, '']) }),
  ),
  post(
    'many labels',
    `${NAMESPACE}/configmaps`,
    configMap('labels', {}, { labels: fillRecord((i) => [`k${i}`, 'v']) }),
  ),
  post(
    'a long label',
    `${NAMESPACE}/configmaps`,
    configMap('label', {}, { labels: { a: 'a'.repeat(MEGABYTE * 0.9) } }),
  ),
  post(
    'a long label of dashes',
    `${NAMESPACE}/configmaps`,
    configMap('label', {}, { labels: { ['-'.repeat(400_000)]: '-'.repeat(400_000) } }),
  ),
  post('a long name', `${NAMESPACE}/configmaps`, configMap('a.'.repeat(450_000))),
  post('a long generated name', `${NAMESPACE}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'a-'.repeat(450_000) },
  }),
  post(
    'many owners',
    `${NAMESPACE}/configmaps`,
    configMap(
      'owners',
      {},
      { ownerReferences: fill((i) => ({ apiVersion: 'v1', kind: 'Pod', name: `p${i}`, uid: `u${i}` })) },
    ),
  ),
  post(
    'many bad owners',
    `${NAMESPACE}/configmaps`,
    configMap('bad-owners', {}, { ownerReferences: fill((i) => ({ kind: `K${i}` })) }),
  ),
  post(
    'many controllers',
    `${NAMESPACE}/configmaps`,
    configMap(
      'controllers',
      {},
      { ownerReferences: fill((i) => ({ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: `${i}`, controller: true })) },
    ),
  ),
  post(
    'many finalizers',
    `${NAMESPACE}/configmaps`,
    configMap('finalizers', {}, { finalizers: fill((i) => `a.b/c${i}`) }),
  ),
  post(
    'the same finalizer',
    `${NAMESPACE}/configmaps`,
    configMap('finalizers', {}, { finalizers: fill(() => 'a.b/c') }),
  ),
  post(
    'many managed fields',
    `${NAMESPACE}/configmaps`,
    configMap(
      'managed',
      {},
      {
        managedFields: fill((i) => ({
          manager: `m${i}`,
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': {} },
        })),
      },
    ),
  ),
  post(
    'one large set of managed fields',
    `${NAMESPACE}/configmaps`,
    configMap(
      'managed-set',
      {},
      {
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': fillRecord((i) => [`f:k${i}`, {}]) },
          },
        ],
      },
    ),
  ),
  post(
    'compressed',
    `${NAMESPACE}/configmaps`,
    gzipSync(JSON.stringify(configMap('gzip', { data: { a: 'x'.repeat(2_500_000) } }))),
    { 'content-encoding': 'gzip' },
  ),
  post('compressed nothing', `${NAMESPACE}/configmaps`, gzipSync(Buffer.alloc(100_000_000)), {
    'content-encoding': 'gzip',
  }),
];

const yamlHead = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const yaml: CostlyRequest[] = [
  post(
    'YAML: many keys',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('y1')}data:\n${list(60_000, (i) => `  k${i}: "v"\n`).join('')}`,
    YAML,
  ),
  post(
    'YAML: many duplicate keys',
    `${NAMESPACE}/configmaps?fieldValidation=Strict`,
    `${yamlHead('y2')}data:\n${'  k: "v"\n'.repeat(90_000)}`,
    YAML,
  ),
  post(
    'YAML: one flow map',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('y3')}data: {${list(60_000, (i) => `k${i}: "v"`).join(', ')}}`,
    YAML,
  ),
  post('YAML: a long list', `${NAMESPACE}/configmaps`, `${yamlHead('y4')}x:\n${'- a\n'.repeat(200_000)}`, YAML),
  post(
    'YAML: many anchors and aliases',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('y5')}data:\n${list(20_000, (i) => `  k${i}: &a${i} v\n  l${i}: *a${i}\n`).join('')}`,
    YAML,
  ),
  post(
    'YAML: one anchor, many aliases',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('y6')}data:\n  a: &a v\n${list(50_000, (i) => `  l${i}: *a\n`).join('')}`,
    YAML,
  ),
  post(
    'YAML: a billion laughs',
    `${NAMESPACE}/configmaps`,
    [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...[...'bcdefghi'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`),
    ].join('\n'),
    YAML,
  ),
  post(
    'YAML: merges',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('y7')}a: &a {${list(500, (i) => `k${i}: v`).join(', ')}}\nb:\n${'- {<<: *a}\n'.repeat(80_000)}`,
    YAML,
  ),
  post('YAML: comments', `${NAMESPACE}/configmaps`, `${'# c\n'.repeat(200_000)}${yamlHead('y8')}`, YAML),
  post(
    'YAML: a block of text',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('y9')}data:\n  a: |\n${'    b\n'.repeat(150_000)}`,
    YAML,
  ),
  post(
    'YAML: a folded text',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('ya')}data:\n  a: >\n${'    b\n\n'.repeat(120_000)}`,
    YAML,
  ),
  post(
    'YAML: quoted spaces',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('yb')}data:\n  a: "x${' '.repeat(800_000)}x\n    y"`,
    YAML,
  ),
  post('YAML: open brackets', `${NAMESPACE}/configmaps`, `${yamlHead('yc')}data: ${'['.repeat(500_000)}`, YAML),
  post('YAML: deep blocks', `${NAMESPACE}/configmaps`, list(1_300, (i) => `${' '.repeat(i)}a:\n`).join(''), YAML),
  post('YAML: documents', `${NAMESPACE}/configmaps`, '---\n'.repeat(200_000), YAML),
  post('YAML: errors', `${NAMESPACE}/configmaps`, 'a: [}\n'.repeat(150_000), YAML),
  post(
    'YAML: tags',
    `${NAMESPACE}/configmaps`,
    `${yamlHead('yd')}data:\n${list(50_000, (i) => `  k${i}: !!str 1\n`).join('')}`,
    YAML,
  ),
  post('YAML: numbers', `${NAMESPACE}/configmaps`, `${yamlHead('ye')}x:\n${'- 0x1_0:1.5e3\n'.repeat(60_000)}`, YAML),
];

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
const bytesField = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(content.length)]), content]);
const envelope = (kind: string, raw: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    bytesField(1, Buffer.concat([bytesField(1, Buffer.from('v1')), bytesField(2, Buffer.from(kind))])),
    bytesField(2, raw),
  ]);
const protobuf: CostlyRequest[] = [
  post(
    'protobuf: many empty containers',
    `${NAMESPACE}/pods`,
    envelope('Pod', bytesField(2, Buffer.concat(list(400_000, () => bytesField(2, Buffer.alloc(0)))))),
    PROTOBUF,
  ),
  post(
    'protobuf: many unknown fields',
    `${NAMESPACE}/pods`,
    envelope('Pod', Buffer.concat(list(250_000, () => bytesField(99, Buffer.alloc(0))))),
    PROTOBUF,
  ),
  post(
    'protobuf: many labels',
    `${NAMESPACE}/configmaps`,
    envelope(
      'ConfigMap',
      bytesField(1, Buffer.concat(list(70_000, (i) => bytesField(11, bytesField(1, Buffer.from(`k${i}`)))))),
    ),
    PROTOBUF,
  ),
  post(
    'protobuf: the same metadata again',
    `${NAMESPACE}/configmaps`,
    envelope('ConfigMap', Buffer.concat(list(190_000, () => bytesField(1, bytesField(1, Buffer.from('n')))))),
    PROTOBUF,
  ),
  post(
    'protobuf: deep nesting',
    `${NAMESPACE}/pods`,
    envelope(
      'Pod',
      list(3_000, () => 0).reduce<Buffer>((inner) => bytesField(1, inner), Buffer.from('x')),
    ),
    PROTOBUF,
  ),
  post('protobuf: a kind of a megabyte', `${NAMESPACE}/pods`, envelope('P'.repeat(900_000), Buffer.alloc(0)), PROTOBUF),
];

const selector = (text: string): string => `${NAMESPACE}/configmaps?labelSelector=${encodeURIComponent(text)}`;
const fields = (text: string): string => `${NAMESPACE}/configmaps?fieldSelector=${encodeURIComponent(text)}`;
const get = (name: string, path: string, headers?: Record<string, string>, cutOffMs?: number): CostlyRequest => ({
  name,
  method: 'GET',
  path,
  ...(headers ? { headers } : {}),
  ...(cutOffMs ? { cutOffMs } : {}),
});
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const queries: CostlyRequest[] = [
  get('a selector of many labels', selector(list(6_000, (i) => `k${i}=v`).join())),
  get('a selector of one label many times', selector('a,'.repeat(8_000) + 'a')),
  get('a selector with many values', selector(`a in (${list(9_000, (i) => `v${i}`).join()})`)),
  get('a selector of brackets', selector('('.repeat(18_000))),
  get('a selector of spaces', selector(`${' '.repeat(18_000)}!`)),
  get('a selector of exclamation marks', selector('!'.repeat(18_000))),
  get('many fields', fields(list(3_000, () => 'metadata.name=a').join())),
  get('unknown fields', fields(list(3_000, (i) => `f${i}=a`).join())),
  get('a field of equal signs', fields('='.repeat(18_000))),
  get('a field of exclamation marks', fields('!'.repeat(18_000))),
  get('a field of escapes', fields(`metadata.name=${'\\,'.repeat(9_000)}`)),
  get(
    'a broken continue',
    `${NAMESPACE}/configmaps?limit=1&continue=${Buffer.from(`{"v":"meta.k8s.io/v1","rv":1,"start":"${'a'.repeat(30_000)}"}`).toString('base64url')}`,
  ),
  get('a broken resource version', `${NAMESPACE}/configmaps?resourceVersion=${'1'.repeat(50_000)}`),
  get('a long time-out', `${NAMESPACE}/configmaps?timeoutSeconds=${'1'.repeat(50_000)}`),
  get('a duration', `${NAMESPACE}/configmaps?timeout=${'1'.repeat(50_000)}`),
  get('many parameters for a stream', `${NAMESPACE}/pods/p/exec?${'command=a&'.repeat(6_000)}`),
  get('all objects', '/api/v1/configmaps'),
  get('all objects as YAML', '/api/v1/configmaps', { accept: 'application/yaml' }),
  get('all objects as protobuf', '/api/v1/configmaps', { accept: 'application/vnd.kubernetes.protobuf' }),
  get('all objects as a table', '/api/v1/configmaps', TABLE),
  get('all objects as a table with the objects', '/api/v1/configmaps?includeObject=Object', TABLE),
  get('all metadata', '/api/v1/configmaps', {
    accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  }),
  get('all objects, pretty', '/api/v1/configmaps?pretty=true'),
  get('all objects, compressed', '/api/v1/configmaps', { 'accept-encoding': 'gzip' }),
  get('a watch of all objects', '/api/v1/configmaps?watch=true', undefined, 500),
  get('a watch of all objects as tables', '/api/v1/configmaps?watch=true', TABLE, 500),
  get('the OpenAPI document', '/openapi/v2'),
  get('the metrics', '/metrics'),
  get('all recorded spans', '/apis/glass.k8ts.dev/v1alpha1/spans'),
  get('all recorded traces', '/apis/glass.k8ts.dev/v1alpha1/traces'),
  get('the trace of a span', '/apis/glass.k8ts.dev/v1alpha1/traces/1'),
];

const text = (size: number): string => 'x'.repeat(size);
const pods: CostlyRequest[] = [
  post(
    'many containers',
    `${NAMESPACE}/pods`,
    pod('containers', { containers: fill((i) => ({ name: `c${i}`, image: 'i' })) }),
  ),
  post(
    'the same container',
    `${NAMESPACE}/pods`,
    pod('containers', { containers: fill(() => ({ name: 'c', image: 'i' })) }),
  ),
  post(
    'a small body of empty containers',
    `${NAMESPACE}/pods`,
    pod('containers', { containers: list(10_000, () => ({})) }),
  ),
  post('many empty containers', `${NAMESPACE}/pods`, pod('containers', { containers: fill(() => ({})) })),
  post(
    'many init containers',
    `${NAMESPACE}/pods`,
    pod('init', { initContainers: fill((i) => ({ name: `c${i}`, image: 'i' })) }),
  ),
  post(
    'many variables',
    `${NAMESPACE}/pods`,
    inContainer('env', { env: fill((i) => ({ name: `E${i}`, value: 'v' })) }),
  ),
  post('many bad variables', `${NAMESPACE}/pods`, inContainer('env', { env: fill((i) => ({ name: `=${i}` })) })),
  post(
    'many references in variables',
    `${NAMESPACE}/pods`,
    inContainer('env', {
      env: fill((i) => ({ name: `E${i}`, valueFrom: { fieldRef: { fieldPath: `metadata.labels['a${i}']` } } })),
    }),
  ),
  post(
    'a long field path',
    `${NAMESPACE}/pods`,
    inContainer('env', { env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath: `a['`.repeat(300_000) } } }] }),
  ),
  post(
    'many sources of variables',
    `${NAMESPACE}/pods`,
    inContainer('env', { envFrom: fill((i) => ({ configMapRef: { name: `c${i}` } })) }),
  ),
  post(
    'many ports',
    `${NAMESPACE}/pods`,
    inContainer('ports', { ports: fill((i) => ({ name: `p${i}`, containerPort: (i % 65_535) + 1 })) }),
  ),
  post(
    'the same port',
    `${NAMESPACE}/pods`,
    inContainer('ports', { ports: fill(() => ({ name: 'p', containerPort: 80, hostPort: 80 })) }),
  ),
  post(
    'many mounts',
    `${NAMESPACE}/pods`,
    inContainer('mounts', { volumeMounts: fill((i) => ({ name: 'v', mountPath: `/m${i}` })) }),
  ),
  post(
    'many volumes',
    `${NAMESPACE}/pods`,
    pod('volumes', { volumes: fill((i) => ({ name: `v${i}`, emptyDir: {} })) }),
  ),
  post('the same volume', `${NAMESPACE}/pods`, pod('volumes', { volumes: fill(() => ({ name: 'v', emptyDir: {} })) })),
  post(
    'volumes and mounts',
    `${NAMESPACE}/pods`,
    pod('both', {
      containers: [{ ...CONTAINER, volumeMounts: fill((i) => ({ name: `v${i}`, mountPath: `/m${i}` }), 0.45) }],
      volumes: fill((i) => ({ name: `v${i}`, emptyDir: {} }), 0.45),
    }),
  ),
  post(
    'containers that mount',
    `${NAMESPACE}/pods`,
    pod('both', {
      containers: fill(
        (i) => ({ name: `c${i}`, image: 'i', volumeMounts: [{ name: `v${i}`, mountPath: '/m' }] }),
        0.45,
      ),
      volumes: fill((i) => ({ name: `v${i}`, emptyDir: {} }), 0.45),
    }),
  ),
  post(
    'many items of a volume',
    `${NAMESPACE}/pods`,
    pod('items', {
      volumes: [{ name: 'v', configMap: { name: 'c', items: fill((i) => ({ key: `k${i}`, path: `p${i}` })) } }],
    }),
  ),
  post(
    'many projected sources',
    `${NAMESPACE}/pods`,
    pod('projected', {
      volumes: [
        {
          name: 'v',
          projected: { sources: fill((i) => ({ configMap: { name: `c${i}`, items: [{ key: 'k', path: `p${i}` }] } })) },
        },
      ],
    }),
  ),
  post(
    'projected sources that overlap',
    `${NAMESPACE}/pods`,
    pod('projected', {
      volumes: [
        {
          name: 'v',
          projected: { sources: fill(() => ({ configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } })) },
        },
      ],
    }),
  ),
  post(
    'a projected path of slashes',
    `${NAMESPACE}/pods`,
    pod('projected', {
      volumes: [
        {
          name: 'v',
          projected: {
            sources: [{ configMap: { name: 'c', items: [{ key: 'k', path: `a${'/'.repeat(800_000)}b` }] } }],
          },
        },
      ],
    }),
  ),
  post(
    'projected paths below each other',
    `${NAMESPACE}/pods`,
    pod('projected', {
      volumes: [
        {
          name: 'v',
          configMap: { name: 'c', items: list(1_200, (i) => ({ key: 'k', path: 'a/'.repeat(i % 600) + 'b' })) },
        },
      ],
    }),
  ),
  post(
    'an iSCSI name',
    `${NAMESPACE}/pods`,
    pod('iscsi', {
      volumes: [{ name: 'v', iscsi: { targetPortal: 'a', iqn: 'iqn.2001-04.a'.repeat(60_000), lun: 0 } }],
    }),
  ),
  post(
    'many tolerations',
    `${NAMESPACE}/pods`,
    pod('tolerations', { tolerations: fill((i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  ),
  post(
    'many constraints of spreading',
    `${NAMESPACE}/pods`,
    pod('spread', {
      topologySpreadConstraints: fill((i) => ({
        maxSkew: 1,
        topologyKey: `k${i}`,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: LABELS,
      })),
    }),
  ),
  post(
    'the same constraint of spreading',
    `${NAMESPACE}/pods`,
    pod('spread', {
      topologySpreadConstraints: fill(() => ({ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' })),
    }),
  ),
  post(
    'keys of a constraint of spreading',
    `${NAMESPACE}/pods`,
    pod('spread', {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'k',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: LABELS,
          matchLabelKeys: fill((i) => `k${i}`),
        },
      ],
    }),
  ),
  post(
    'many terms of affinity',
    `${NAMESPACE}/pods`,
    pod('affinity', {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: fill((i) => ({
            topologyKey: `k${i}`,
            labelSelector: LABELS,
          })),
        },
      },
    }),
  ),
  post(
    'many node selector terms',
    `${NAMESPACE}/pods`,
    pod('affinity', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: fill((i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['a'] }] })),
          },
        },
      },
    }),
  ),
  post(
    'a node selector with many values',
    `${NAMESPACE}/pods`,
    pod('affinity', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'In', values: fill((i) => `v${i}`) }] }],
          },
        },
      },
    }),
  ),
  post(
    'many node selectors',
    `${NAMESPACE}/pods`,
    pod('node-selector', { nodeSelector: fillRecord((i) => [`k${i}`, 'v']) }),
  ),
  post('many pull secrets', `${NAMESPACE}/pods`, pod('pull', { imagePullSecrets: fill((i) => ({ name: `s${i}` })) })),
  post('the same pull secret', `${NAMESPACE}/pods`, pod('pull', { imagePullSecrets: fill(() => ({ name: 's' })) })),
  post(
    'many host aliases',
    `${NAMESPACE}/pods`,
    pod('aliases', { hostAliases: fill((i) => ({ ip: `10.0.${(i >> 8) & 255}.${i & 255}`, hostnames: ['a'] })) }),
  ),
  post(
    'many resources',
    `${NAMESPACE}/pods`,
    inContainer('resources', {
      resources: {
        limits: fillRecord((i) => [`a.test/r${i}`, '1'], 0.45),
        requests: fillRecord((i) => [`a.test/r${i}`, '1'], 0.45),
      },
    }),
  ),
  post(
    'a long quantity',
    `${NAMESPACE}/pods`,
    inContainer('quantity', { resources: { limits: { cpu: '1'.repeat(900_000) } } }),
  ),
  post(
    'a long fraction of a quantity',
    `${NAMESPACE}/pods`,
    inContainer('quantity', { resources: { limits: { cpu: `0.${'0'.repeat(900_000)}1` } } }),
  ),
  post(
    'many system controls',
    `${NAMESPACE}/pods`,
    pod('sysctls', { securityContext: { sysctls: fill((i) => ({ name: `kernel.shm${i}`, value: '1' })) } }),
  ),
  post(
    'many supplemental groups',
    `${NAMESPACE}/pods`,
    pod('groups', { securityContext: { supplementalGroups: fill((i) => i) } }),
  ),
  post(
    'many scheduling gates',
    `${NAMESPACE}/pods`,
    pod('gates', { schedulingGates: fill((i) => ({ name: `a.test/g${i}` })) }),
  ),
  post(
    'many readiness gates',
    `${NAMESPACE}/pods`,
    pod('gates', { readinessGates: fill((i) => ({ conditionType: `a.test/g${i}` })) }),
  ),
  post(
    'many resource claims',
    `${NAMESPACE}/pods`,
    pod('claims', { resourceClaims: fill((i) => ({ name: `c${i}`, resourceClaimName: `c${i}` })) }),
  ),
  post(
    'many capabilities',
    `${NAMESPACE}/pods`,
    inContainer('caps', { securityContext: { capabilities: { add: fill((i) => `C${i}`) } } }),
  ),
  post(
    'a long command',
    `${NAMESPACE}/pods`,
    inContainer('command', { command: fill(() => '$(A)'), env: [{ name: 'A', value: text(100) }] }),
  ),
  post('a long image', `${NAMESPACE}/pods`, inContainer('image', { image: 'a/'.repeat(450_000) })),
  post('an image of dashes', `${NAMESPACE}/pods`, inContainer('image', { image: `a${'-'.repeat(900_000)}` })),
  post(
    'many search domains',
    `${NAMESPACE}/pods`,
    pod('dns', { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: fill((i) => `d${i}.test`) } }),
  ),
  post(
    'many headers of a probe',
    `${NAMESPACE}/pods`,
    inContainer('probe', {
      livenessProbe: { httpGet: { port: 80, httpHeaders: fill((i) => ({ name: `H${i}`, value: 'v' })) } },
    }),
  ),
];

const PEM = '-----BEGIN CERTIFICATE-----\n';
const base64 = (content: string): string => Buffer.from(content).toString('base64');
const kinds: CostlyRequest[] = [
  post(
    'a TLS secret of beginnings',
    `${NAMESPACE}/secrets`,
    secret('tls', {
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': base64(PEM.repeat(20_000)), 'tls.key': base64('-----BEGIN PRIVATE KEY-----'.repeat(3_000)) },
    }),
  ),
  post(
    'a Docker configuration',
    `${NAMESPACE}/secrets`,
    secret('docker', {
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': base64(JSON.stringify({ auths: fillRecord((i) => [`h${i}`, {}], 0.6) })) },
    }),
  ),
  post('a signing request of beginnings', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'pem' },
    spec: {
      signerName: 'a.test/b',
      usages: ['client auth'],
      request: base64('-----BEGIN CERTIFICATE REQUEST-----\n'.repeat(18_000)),
    },
  }),
  post('a signing request of headers', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'pem' },
    spec: {
      signerName: 'a.test/b',
      usages: ['client auth'],
      request: base64(
        `-----BEGIN CERTIFICATE REQUEST-----\n${'a: b\n'.repeat(100_000)}-----END CERTIFICATE REQUEST-----\n`,
      ),
    },
  }),
  post('many usages', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'usages' },
    spec: { signerName: 'a.test/b', usages: fill((i) => `u${i}`), request: 'AAAA' },
  }),
  post(
    'many rules',
    `${RBAC}/roles`,
    rbac('Role', 'rules', { rules: fill((i) => ({ apiGroups: [''], resources: [`r${i}`], verbs: ['get'] })) }),
  ),
  post(
    'rules with many names',
    `${RBAC}/roles`,
    rbac('Role', 'names', {
      rules: [
        {
          apiGroups: fill((i) => `g${i}`, 0.22),
          resources: fill((i) => `r${i}`, 0.22),
          verbs: fill((i) => `v${i}`, 0.22),
          resourceNames: fill((i) => `n${i}`, 0.22),
        },
      ],
    }),
  ),
  post(
    'many subjects',
    `${RBAC}/rolebindings`,
    rbac('RoleBinding', 'subjects', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: fill((i) => ({ kind: 'User', name: `u${i}`, apiGroup: 'rbac.authorization.k8s.io' })),
    }),
  ),
  post(
    'a role that aggregates many',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    rbac('ClusterRole', 'aggregate', {
      aggregationRule: { clusterRoleSelectors: fill((i) => ({ matchLabels: { [`k${i}`]: 'v' } })) },
    }),
  ),
  post('a review with many groups', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'u', groups: fill((i) => `g${i}`), resourceAttributes: { verb: 'get', resource: 'pods' } },
  }),
  post('a review with a long extra', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'u', extra: fillRecord((i) => [`k${i}`, ['v']]), nonResourceAttributes: { verb: 'get', path: '/a' } },
  }),
  post('a review of a long path', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { nonResourceAttributes: { verb: 'get', path: '/a'.repeat(400_000) } },
  }),
  post('a review with a selector', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: { verb: 'list', resource: 'pods', labelSelector: { rawSelector: 'a,'.repeat(400_000) } },
    },
  }),
  post('a review with many requirements', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        verb: 'list',
        resource: 'pods',
        labelSelector: { requirements: fill((i) => ({ key: `k${i}`, operator: 'Exists' })) },
      },
    },
  }),
  post('a review of a token', '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: `${jwt('{')}${'a.'.repeat(400_000)}` },
  }),
  post('a review of a token for many', '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token: 'a', audiences: fill((i) => `a${i}`) },
  }),
  post('many ports of a service', `${NAMESPACE}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'ports' },
    spec: { ports: fill((i) => ({ name: `p${i}`, port: (i % 65_535) + 1 })) },
  }),
  post('the same port of a service', `${NAMESPACE}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'ports' },
    spec: { ports: fill(() => ({ name: 'p', port: 1 })) },
  }),
  post('many external addresses', `${NAMESPACE}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'ips' },
    spec: {
      ports: [{ port: 1 }],
      externalIPs: fill((i) => `10.0.${(i >> 8) & 255}.${i & 255}`),
      loadBalancerSourceRanges: ['1.1.1.1/32'],
    },
  }),
  post('many endpoints', `${NAMESPACE}/endpoints`, {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'many' },
    subsets: fill((i) => ({ addresses: [{ ip: `10.0.${(i >> 8) & 255}.${i & 255}` }], ports: [{ port: 1 }] })),
  }),
  post('a slice of many endpoints', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'many' },
    addressType: 'IPv4',
    endpoints: fill((i) => ({ addresses: [`10.0.${(i >> 8) & 255}.${i & 255}`] })),
  }),
  post('many rules of an ingress', `${NETWORKING}/ingresses`, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'rules' },
    spec: {
      rules: fill((i) => ({
        host: `h${i}.test`,
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }] },
      })),
    },
  }),
  post('many policies', `${NETWORKING}/networkpolicies`, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'rules' },
    spec: {
      podSelector: {},
      ingress: fill(() => ({ from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] })),
    },
  }),
  post('exceptions of a policy', `${NETWORKING}/networkpolicies`, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'except' },
    spec: {
      podSelector: {},
      ingress: [
        { from: [{ ipBlock: { cidr: '10.0.0.0/8', except: fill((i) => `10.${(i >> 8) & 255}.${i & 255}.0/24`) } }] },
      ],
    },
  }),
  post('many quotas', `${NAMESPACE}/resourcequotas`, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'hard' },
    spec: { hard: fillRecord((i) => [`count/r${i}.test`, '1']) },
  }),
  post('many limits', `${NAMESPACE}/limitranges`, {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits' },
    spec: { limits: [{ type: 'Container', max: fillRecord((i) => [`a.test/r${i}`, '1']) }] },
  }),
  post('a schedule', '/apis/batch/v1/namespaces/default/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'cron' },
    spec: {
      schedule: `@every ${'1'.repeat(800_000)}`,
      jobTemplate: { spec: { template: { spec: { containers: [CONTAINER], restartPolicy: 'Never' } } } },
    },
  }),
  post('a schedule of commas', '/apis/batch/v1/namespaces/default/cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'cron' },
    spec: {
      schedule: `${'1,'.repeat(400_000)}1 * * * *`,
      jobTemplate: { spec: { template: { spec: { containers: [CONTAINER], restartPolicy: 'Never' } } } },
    },
  }),
  post('many templates of claims', '/apis/apps/v1/namespaces/default/statefulsets', {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'claims' },
    spec: {
      serviceName: 's',
      selector: LABELS,
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER] } },
      volumeClaimTemplates: fill((i) => ({
        metadata: { name: `v${i}` },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
      })),
    },
  }),
  post('a selector of many expressions', '/apis/apps/v1/namespaces/default/deployments', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'selector' },
    spec: {
      selector: { matchExpressions: fill((i) => ({ key: `k${i}`, operator: 'In', values: ['v'] })) },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER] } },
    },
  }),
  post('many metrics', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'metrics' },
    spec: {
      maxReplicas: 2,
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      metrics: fill(() => ({
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1 } },
      })),
    },
  }),
  post('many webhooks', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'many' },
    webhooks: fill((i) => ({
      name: `w${i}.a.test`,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: 'https://a.test' },
      rules: [],
      matchConditions: [{ name: 'a', expression: 'true' }],
    })),
  }),
  post('a policy of many validations', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'many' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['none.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] }],
      },
      validations: fill((i) => ({ expression: `object.metadata.name != 'a${i}'` })),
    },
  }),
  post('a policy with a long expression', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'long' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['none.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] }],
      },
      validations: [{ expression: `${'true && '.repeat(100_000)}true` }],
    },
  }),
  post('a policy of brackets', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'brackets' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: ['none.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['x'] }],
      },
      validations: [{ expression: '('.repeat(900_000) }],
    },
  }),
  post('a trust bundle', '/apis/certificates.k8s.io/v1beta1/clustertrustbundles', {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name: 'pem' },
    spec: { trustBundle: PEM.repeat(30_000) },
  }),
  post('many taints', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'taints' },
    spec: { taints: fill((i) => ({ key: `k${i}`, effect: 'NoSchedule' })) },
  }),
  post('many images of a node', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'images' },
    status: { images: fill((i) => ({ names: [`i${i}`] })) },
  }),
  post('a slice of many devices', '/apis/resource.k8s.io/v1/resourceslices', {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'devices' },
    spec: {
      driver: 'a.test',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: fill((i) => ({ name: `d${i}` })),
    },
  }),
  post('many topologies', '/apis/storage.k8s.io/v1/storageclasses', {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'topologies' },
    provisioner: 'a.test',
    allowedTopologies: fill((i) => ({ matchLabelExpressions: [{ key: `k${i}`, values: ['v'] }] })),
  }),
  post('a flow schema of many rules', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: 'rules' },
    spec: {
      priorityLevelConfiguration: { name: 'global-default' },
      matchingPrecedence: 9000,
      rules: fill((i) => ({
        subjects: [{ kind: 'User', user: { name: `u${i}` } }],
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [`/a${i}`] }],
      })),
    },
  }),
];

const STRINGS = { type: 'object', properties: { text: { type: 'string' } } };
const definitions: CostlyRequest[] = [
  post(
    'a schema of many properties',
    `${DEFINITIONS}?dryRun=All`,
    definition('manys', { type: 'object', properties: fillRecord((i) => [`p${i}`, { type: 'string' }]) }),
  ),
  post(
    'a deep schema',
    `${DEFINITIONS}?dryRun=All`,
    definition(
      'deeps',
      list(400, () => 0).reduce<Schema>((inner) => ({ type: 'object', properties: { a: inner } }), { type: 'string' }),
    ),
  ),
  post(
    'a schema of alternatives',
    `${DEFINITIONS}?dryRun=All`,
    definition('anys', {
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: fill(() => ({ required: ['a'] })),
    }),
  ),
  post(
    'a schema with a large enumeration',
    `${DEFINITIONS}?dryRun=All`,
    definition('enums', { type: 'string', enum: fill((i) => `v${i}`) }),
  ),
  post(
    'a schema with many required fields',
    `${DEFINITIONS}?dryRun=All`,
    definition('requireds', { type: 'object', required: fill((i) => `v${i}`) }),
  ),
  post(
    'a schema with a large default',
    `${DEFINITIONS}?dryRun=All`,
    definition('defaults', {
      type: 'object',
      properties: { a: { type: 'array', items: { type: 'string' }, default: fill((i) => `v${i}`) } },
    }),
  ),
  post(
    'a schema with many rules',
    `${DEFINITIONS}?dryRun=All`,
    definition('rules', { ...STRINGS, 'x-kubernetes-validations': fill((i) => ({ rule: `self.text != 'a${i}'` })) }),
  ),
  post(
    'a schema with a long rule',
    `${DEFINITIONS}?dryRun=All`,
    definition('longs', { ...STRINGS, 'x-kubernetes-validations': [{ rule: `${'true && '.repeat(100_000)}true` }] }),
  ),
  post(
    'a schema with a long pattern',
    `${DEFINITIONS}?dryRun=All`,
    definition('patterns', { type: 'string', pattern: '(a|b)*'.repeat(30_000) }),
  ),
  post(
    'a schema with a pattern of classes',
    `${DEFINITIONS}?dryRun=All`,
    definition('classes', { type: 'string', pattern: '[^\\x{41}-\\x{5a}]'.repeat(20_000) }),
  ),
  post(
    'a schema with a pattern of escapes',
    `${DEFINITIONS}?dryRun=All`,
    definition('escapes', { type: 'string', pattern: `[${'\\x{41}'.repeat(100_000)}]` }),
  ),
  post(
    'a schema with a pattern of repetitions',
    `${DEFINITIONS}?dryRun=All`,
    definition('repetitions', { type: 'string', pattern: '(a{1,100}){1,10}' }),
  ),
  post('many versions', `${DEFINITIONS}?dryRun=All`, {
    ...definition('versions', STRINGS),
    spec: {
      group: 'costly.test',
      scope: 'Namespaced',
      names: { plural: 'versions', singular: 'version', kind: 'VERSIONS' },
      versions: fill((i) => ({
        name: `v${i + 1}`,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: { type: 'object' } },
      })),
    },
  }),
  post('many short names', `${DEFINITIONS}?dryRun=All`, {
    ...definition('shorts', STRINGS),
    spec: {
      group: 'costly.test',
      scope: 'Namespaced',
      names: { plural: 'shorts', singular: 'short', kind: 'SHORTS', shortNames: fill((i) => `s${i}`) },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }),
  post(
    'many columns',
    `${DEFINITIONS}?dryRun=All`,
    definition('columns', STRINGS, {
      additionalPrinterColumns: fill((i) => ({ name: `c${i}`, type: 'string', jsonPath: '.spec.text' })),
    }),
  ),
  post(
    'a long column path',
    `${DEFINITIONS}?dryRun=All`,
    definition('paths', STRINGS, {
      additionalPrinterColumns: [{ name: 'c', type: 'string', jsonPath: `.spec${'[*]'.repeat(200_000)}` }],
    }),
  ),
  post(
    'a filter in a column path',
    `${DEFINITIONS}?dryRun=All`,
    definition('filters', STRINGS, {
      additionalPrinterColumns: [{ name: 'c', type: 'string', jsonPath: `.spec[?(@.a${'<'.repeat(800_000)})]` }],
    }),
  ),
];

/** Custom resources of one open definition. */
const open = definition('opens', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
const checked = definition('checkeds', {
  type: 'object',
  properties: {
    duration: { type: 'string', format: 'duration' },
    email: { type: 'string', format: 'email' },
    hostname: { type: 'string', format: 'hostname' },
    uri: { type: 'string', format: 'uri' },
    date: { type: 'string', format: 'date-time' },
    byte: { type: 'string', format: 'byte' },
    creditcard: { type: 'string', format: 'creditcard' },
    isbn: { type: 'string', format: 'isbn' },
    cidr: { type: 'string', format: 'cidr' },
    ipv6: { type: 'string', format: 'ipv6' },
    rgbcolor: { type: 'string', format: 'rgbcolor' },
    pattern: { type: 'string', pattern: '^(a+)+$' },
    counted: { type: 'string', pattern: '^(a{1,50}){1,20}b$' },
    unique: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } },
    },
    numbers: { type: 'array', items: { type: 'integer', maximum: 5 } },
    nothing: { type: 'object', properties: {} },
    ruled: {
      type: 'array',
      maxItems: 10_000,
      items: { type: 'string', maxLength: 100 },
      'x-kubernetes-validations': [{ rule: 'self.all(x, x.size() < 90)' }],
    },
    compared: {
      type: 'array',
      maxItems: 1_000,
      items: { type: 'integer' },
      'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x + y >= 0))' }],
    },
    matched: {
      type: 'string',
      maxLength: 1_000_000,
      'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$')" }],
    },
  },
});
const object = (name: string, kind: 'opens' | 'checkeds', spec: unknown, query = ''): CostlyRequest => ({
  ...post(name, `${customs(kind)}${query}`, custom(kind, 'object', spec)),
  prepare: [{ path: DEFINITIONS, body: kind === 'opens' ? open : checked }],
});
const LONG_INTEGERS = JSON.stringify(custom('opens', 'object', { a: list(50_000, () => 'N') })).replaceAll(
  '"N"',
  '9007199254740993',
);
const customResources: CostlyRequest[] = [
  object(
    'a custom resource of many keys',
    'opens',
    fillRecord((i) => [`k${i}`, 1]),
  ),
  object('a custom resource of long lists', 'opens', { a: fill((i) => ({ a: i })) }),
  object(
    'a custom resource of deep objects',
    'opens',
    list(200, () => 0).reduce<unknown>((inner) => ({ a: inner, b: text(2_000) }), {}),
  ),
  {
    ...post('a custom resource of long integers', customs('opens'), LONG_INTEGERS),
    prepare: [{ path: DEFINITIONS, body: open }],
  },
  ...(
    ['duration', 'email', 'hostname', 'uri', 'date', 'byte', 'creditcard', 'isbn', 'cidr', 'ipv6', 'rgbcolor'] as const
  ).flatMap((format) =>
    ['1', 'a', ' ', '<', '.', ':', '1:'].map((part) =>
      object(`a ${format} of ${JSON.stringify(part)}`, 'checkeds', {
        [format]: `${part.repeat(800_000 / part.length)}!`,
      }),
    ),
  ),
  object('a pattern that others backtrack on', 'checkeds', { pattern: `${'a'.repeat(900_000)}!` }),
  object('a pattern that counts', 'checkeds', { counted: 'a'.repeat(900_000) }),
  object('a rule that others backtrack on', 'checkeds', { matched: `${'a'.repeat(900_000)}!` }),
  object('a long set', 'checkeds', { unique: fill((i) => `v${i}`) }),
  object('a set of the same', 'checkeds', { unique: fill(() => 'v') }),
  object('a long map', 'checkeds', { keyed: fill((i) => ({ k: `v${i}` })) }),
  object('a map of the same', 'checkeds', { keyed: fill(() => ({ k: 'v' })) }),
  object('many wrong numbers', 'checkeds', { numbers: fill(() => 9) }),
  object('many wrong types', 'checkeds', { numbers: fill(() => 'x') }),
  object('many pruned fields', 'checkeds', { nothing: fillRecord((i) => [`k${i}`, 1]) }, '?fieldValidation=Strict'),
  object('a small body for a costly rule', 'checkeds', { compared: list(200, (i) => i) }),
  object('a small body beyond the cost of a rule', 'checkeds', { compared: list(1_000, (i) => i) }),
  object('many elements for a rule', 'checkeds', { ruled: list(10_000, () => text(80)) }),
];

const TARGET = {
  path: `${NAMESPACE}/configmaps/target`,
  objects: `${NAMESPACE}/configmaps`,
  object: configMap('target', { data: { a: 'b' } }),
};
const LARGE = {
  path: `${NAMESPACE}/configmaps/large`,
  objects: `${NAMESPACE}/configmaps`,
  object: configMap('large', { data: fillRecord((i) => [`k${i}`, 'v'], 0.8) }),
};
const LARGE_POD = {
  path: `${NAMESPACE}/pods/large`,
  objects: `${NAMESPACE}/pods`,
  object: pod('large', { containers: list(3_000, (i) => ({ name: `c${i}`, image: 'i' })) }),
};
const LARGE_CUSTOM = {
  path: `${customs('opens')}/large`,
  objects: customs('opens'),
  object: custom('opens', 'large', { list: fill((i) => i, 0.7) }),
};
const LARGE_KEYED = {
  path: `${customs('checkeds')}/large`,
  objects: customs('checkeds'),
  object: custom('checkeds', 'large', { keyed: fill((i) => ({ k: `v${i}` }), 0.3) }),
};
const withoutSpec = (object: object): object => {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  return { apiVersion, kind };
};
const operations = (make: (i: number) => object): object[] => list(9_900, make);
const patches: CostlyRequest[] = [
  patch(
    'JSON patch: many additions',
    'json',
    TARGET,
    operations((i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' })),
  ),
  patch(
    'JSON patch: insertions at the front',
    'json',
    LARGE_CUSTOM,
    operations((i) => ({ op: 'add', path: '/spec/list/0', value: i })),
  ),
  patch(
    'JSON patch: removals at the front',
    'json',
    LARGE_CUSTOM,
    operations(() => ({ op: 'remove', path: '/spec/list/0' })),
  ),
  patch(
    'JSON patch: copies that double',
    'json',
    TARGET,
    list(40, (i) => ({ op: 'copy', from: '/data', path: `/data/c${i}` })),
  ),
  patch(
    'JSON patch: copies of much',
    'json',
    LARGE,
    list(2_000, (i) => ({ op: 'copy', from: '/data', path: `/metadata/c${i}` })),
  ),
  patch(
    'JSON patch: moves of much',
    'json',
    LARGE,
    list(2_000, (i) => ({ op: 'move', from: i % 2 ? '/x' : '/data', path: i % 2 ? '/data' : '/x' })),
  ),
  patch(
    'JSON patch: tests of much',
    'json',
    LARGE,
    list(20, () => ({ op: 'test', path: '/data', value: (LARGE.object as { data: object }).data })).slice(0, 1),
  ),
  patch(
    'JSON patch: tests of the root',
    'json',
    LARGE,
    operations(() => ({ op: 'test', path: '', value: {} })),
  ),
  patch('JSON patch: a long path', 'json', TARGET, [{ op: 'add', path: `/data/${'~1'.repeat(400_000)}`, value: 'v' }]),
  patch('JSON patch: a deep path', 'json', TARGET, [{ op: 'add', path: '/a'.repeat(400_000), value: 'v' }]),
  patch('merge patch: many keys', 'merge', TARGET, { data: fillRecord((i) => [`k${i}`, 'v']) }),
  patch('merge patch: many removals', 'merge', LARGE, { data: fillRecord((i) => [`k${i}`, null]) }),
  patch('merge patch: a long list', 'merge', LARGE_CUSTOM, { spec: { list: fill((i) => i) } }),
  patch('strategic merge: many containers', 'strategic', LARGE_POD, {
    spec: { containers: fill((i) => ({ name: `c${i}`, image: 'j' })) },
  }),
  patch('strategic merge: an order of many', 'strategic', LARGE_POD, {
    spec: {
      '$setElementOrder/containers': fill((i) => ({ name: `c${i}` }), 0.45),
      containers: fill((i) => ({ name: `c${i}`, image: 'j' }), 0.45),
    },
  }),
  patch('strategic merge: many deletions', 'strategic', LARGE_POD, {
    spec: { containers: fill((i) => ({ $patch: 'delete', name: `c${i}` })) },
  }),
  patch('strategic merge: many finalizers', 'strategic', TARGET, {
    metadata: { finalizers: fill((i) => `a.b/c${i}`) },
  }),
  patch('strategic merge: deletions from a list', 'strategic', TARGET, {
    metadata: { '$deleteFromPrimitiveList/finalizers': fill((i) => `a.b/c${i}`) },
  }),
  patch('strategic merge: keys to retain', 'strategic', LARGE, { data: { $retainKeys: fill((i) => `k${i}`) } }),
  patch('apply: many keys', 'apply', TARGET, configMap('target', { data: fillRecord((i) => [`k${i}`, 'v']) })),
  patch(
    'apply: many containers',
    'apply',
    LARGE_POD,
    pod('large', { containers: fill((i) => ({ name: `c${i}`, image: 'i' })) }),
  ),
  patch(
    'apply: the same container',
    'apply',
    LARGE_POD,
    pod('large', { containers: fill(() => ({ name: 'c', image: 'i' })) }),
  ),
  patch(
    'apply: many ports',
    'apply',
    LARGE_POD,
    pod('large', { containers: [{ ...CONTAINER, ports: fill((i) => ({ containerPort: i + 1, protocol: 'TCP' })) }] }),
  ),
  patch(
    'apply: a long map of a custom resource',
    'apply',
    LARGE_KEYED,
    custom('checkeds', 'large', { keyed: fill((i) => ({ k: `w${i}` })) }),
  ),
  patch(
    'apply: a long list of a custom resource',
    'apply',
    LARGE_CUSTOM,
    custom('opens', 'large', { list: fill((i) => i) }),
  ),
  patch(
    'apply: YAML of many keys',
    'apply',
    TARGET,
    `${yamlHead('target')}data:\n${list(60_000, (i) => `  k${i}: "v"\n`).join('')}`,
  ),
  {
    name: 'update: a large object',
    method: 'PUT',
    path: LARGE.path,
    body: configMap('large', { data: fillRecord((i) => [`k${i}`, 'w'], 0.8) }),
    prepare: [{ path: LARGE.objects, body: LARGE.object }],
  },
  {
    name: 'update: many managed fields',
    method: 'PUT',
    path: TARGET.path,
    body: configMap(
      'target',
      {},
      {
        managedFields: fill((i) => ({
          manager: `m${i}`,
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': {} },
        })),
      },
    ),
    prepare: [{ path: TARGET.objects, body: TARGET.object }],
  },
  ...[LARGE, LARGE_POD, LARGE_KEYED].flatMap((target) => [
    patch(`merge patch: a label of ${target.objects}`, 'merge', target, { metadata: { labels: { a: 'b' } } }),
    patch(`JSON patch: a label of ${target.objects}`, 'json', target, [
      { op: 'add', path: '/metadata/labels', value: { c: 'd' } },
    ]),
    patch(`apply: a label of ${target.objects}`, 'apply', target, {
      ...withoutSpec(target.object),
      metadata: { name: 'large', labels: { e: 'f' } },
    }),
    ...[YAML, PROTOBUF].map((accept) => ({
      name: `get: ${accept['content-type']} of ${target.objects}`,
      method: 'GET',
      path: target.path,
      headers: { accept: `${accept['content-type']}, application/json` },
      prepare: [{ path: target.objects, body: target.object }],
    })),
    ...(
      [
        ['protobuf', { accept: 'application/vnd.kubernetes.protobuf;stream=watch, application/json' }, ''],
        ['tables with objects', TABLE, '&includeObject=Object'],
        ['metadata', { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }, ''],
      ] as const
    ).map(([form, headers, query]) => ({
      name: `watch: ${form} of ${target.objects}`,
      method: 'GET',
      path: `${target.objects}?watch=true&fieldSelector=metadata.name%3Dlarge${query}`,
      headers,
      cutOffMs: 1_000,
      prepare: [{ path: target.objects, body: target.object }],
    })),
    {
      name: `get: indented JSON of ${target.objects}`,
      method: 'GET',
      path: `${target.path}?pretty=true`,
      prepare: [{ path: target.objects, body: target.object }],
    },
    {
      name: `delete: one of ${target.objects}`,
      method: 'DELETE',
      path: `${target.path}?dryRun=All`,
      prepare: [{ path: target.objects, body: target.object }],
    },
  ]),
  {
    name: 'delete: many options',
    method: 'DELETE',
    path: `${NAMESPACE}/configmaps/none`,
    body: { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: fill(() => 'All') },
  },
];

/** Requests that once stopped the server. */
const ALWAYS = new Set([
  ...[
    'a broken token for a long path',
    'a duration of "1"',
    'a projected path of slashes',
    'a TLS secret of beginnings',
    'a long field path',
    'many expressions that cost much',
    'a mutation that costs much',
  ],
  ...[
    'a signing request of beginnings',
    'YAML: many keys',
    'YAML: many anchors and aliases',
    'a schema with a pattern of escapes',
    'many owners',
  ],
  ...[
    'many controllers',
    'many items of a volume',
    'strategic merge: many containers',
    'many versions',
    'many empty containers',
    'many mounts',
  ],
]);

/** Every request, in the order in which they are sent: those that list come when there is much to list. */
/** Nearly as much as one expression may cost. */
const COSTLY_EXPRESSION = 'lists.range(150).all(a, lists.range(900).all(b, a + b >= 0))';
const REGISTRATIONS = '/apis/admissionregistration.k8s.io/v1';
const namedConfigMaps = (name: string): object => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE'],
  resources: ['configmaps'],
  resourceNames: [name],
});
const registration = (kind: string, name: string, rest: object): { path: string; body: object } => ({
  path: `${REGISTRATIONS}/${kind.toLowerCase()}${kind.endsWith('Policy') ? '' : 's'}`.replace(/policy$/, 'policies'),
  body: { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name }, ...rest },
});
/** A ConfigMap that expressions judge. */
const judged = (
  what: string,
  name: string,
  prepare: readonly { readonly path: string; readonly body: object }[],
): CostlyRequest => ({
  ...post(what, `${NAMESPACE}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
  prepare,
});
const validatedBy = (what: string, name: string, spec: object): CostlyRequest =>
  judged(what, name, [
    registration('ValidatingAdmissionPolicy', name, {
      spec: { matchConstraints: { resourceRules: [namedConfigMaps(name)] }, ...spec },
    }),
    registration('ValidatingAdmissionPolicyBinding', name, { spec: { policyName: name, validationActions: ['Deny'] } }),
  ]);
const policies: CostlyRequest[] = [
  validatedBy('an expression that costs much', 'judged-once', { validations: [{ expression: COSTLY_EXPRESSION }] }),
  validatedBy('many expressions that cost much', 'judged-often', {
    variables: [{ name: 'costly', expression: COSTLY_EXPRESSION }],
    validations: list(12, (i) => ({ expression: `variables.costly && ${i} >= 0 && ${COSTLY_EXPRESSION}` })),
    auditAnnotations: [{ key: 'cost', valueExpression: `${COSTLY_EXPRESSION} ? 'much' : ''` }],
  }),
  validatedBy('a condition that costs much', 'judged-if', {
    matchConditions: [{ name: 'costly', expression: COSTLY_EXPRESSION }],
    validations: [{ expression: 'true' }],
  }),
  judged('a mutation that costs much', 'judged-mutated', [
    registration('MutatingAdmissionPolicy', 'judged-mutated', {
      spec: {
        matchConstraints: { resourceRules: [namedConfigMaps('judged-mutated')] },
        reinvocationPolicy: 'Never',
        mutations: list(3, (i) => ({
          patchType: 'ApplyConfiguration',
          applyConfiguration: {
            expression: `Object{metadata: Object.metadata{labels: {"l${i}": ${COSTLY_EXPRESSION} ? "a" : "b"}}}`,
          },
        })),
      },
    }),
    registration('MutatingAdmissionPolicyBinding', 'judged-mutated', { spec: { policyName: 'judged-mutated' } }),
  ]),
  judged('a webhook whose condition costs much', 'judged-outside', [
    registration('ValidatingWebhookConfiguration', 'judged-outside', {
      webhooks: [
        {
          name: 'costly.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ ...namedConfigMaps('x'), resourceNames: undefined }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Ignore',
          matchConditions: [
            { name: 'named', expression: "request.name == 'judged-outside'" },
            { name: 'costly', expression: COSTLY_EXPRESSION },
          ],
        },
      ],
    }),
  ]),
];

export const timeCorpus: readonly CostlyRequest[] = [
  ...anonymous.map((request) => ({ ...request, anonymous: true })),
  ...documents,
  ...yaml,
  ...protobuf,
  ...pods,
  ...kinds,
  ...definitions,
  ...customResources,
  ...patches,
  ...policies,
  ...queries,
].map((request) => (ALWAYS.has(request.name) ? { ...request, always: true } : request));
