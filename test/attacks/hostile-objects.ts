import { gzipSync } from 'node:zlib';
import type { Random } from '../../src/kernel/index.ts';

/** Requests that nobody in their right mind sends: valid ones with something changed, or nothing but chance. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: Buffer;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const METADATA = { name: 'a1', labels: { app: 'a' }, annotations: { note: 'x' } };
const POD_SPEC = {
  containers: [
    {
      name: 'c',
      image: 'nginx',
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', value: 'b' }],
      resources: { requests: { cpu: '100m', memory: '1Gi' } },
      livenessProbe: { httpGet: { path: '/', port: 80 } },
    },
  ],
  volumes: [{ name: 'v', configMap: { name: 'x', items: [{ key: 'k', path: 'p' }] } }],
  tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
  nodeSelector: { a: 'b' },
};
const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: POD_SPEC };
const SELECTOR = { matchLabels: { app: 'a' } };

const NAMESPACED = '/namespaces/default';

interface Sample {
  readonly collection: string;
  readonly object: Json;
  /** For what would change how all other requests are answered: nothing of it is ever stored. */
  readonly dryRunOnly?: boolean;
}

const WEBHOOK = {
  name: 'a.b.test',
  clientConfig: { url: 'https://127.0.0.1:1/x', caBundle: 'AAAA' },
  rules: [
    { apiGroups: ['never.test'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'], scope: '*' },
  ],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
  timeoutSeconds: 1,
  matchConditions: [{ name: 'c', expression: 'request.userInfo.username != "x"' }],
  namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
};
const POLICY = {
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['never.test'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'] },
      ],
    },
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'v', expression: 'object.metadata.name' }],
    validations: [
      {
        expression: 'variables.v.startsWith("a") && object.spec.items.all(i, i > 0)',
        messageExpression: '"no " + variables.v',
      },
    ],
    auditAnnotations: [{ key: 'k', valueExpression: 'string(1)' }],
  },
};

/** The kind of a CustomResourceDefinition that the test makes: with rules, defaults and formats. */
export const CUSTOM_RESOURCES = '/apis/attack.test/v1/namespaces/default/widgets';
export const CUSTOM_RESOURCE_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.attack.test' },
  spec: {
    group: 'attack.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wi'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
        },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        selectableFields: [{ jsonPath: '.spec.colour' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                'x-kubernetes-validations': [{ rule: 'self.size <= 100 || self.tags.exists(t, t == "big")' }],
                properties: {
                  size: {
                    type: 'integer',
                    minimum: 0,
                    default: 1,
                    'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }],
                  },
                  replicas: { type: 'integer' },
                  colour: { type: 'string', pattern: '^[a-z]*$', maxLength: 64 },
                  when: { type: 'string', format: 'date-time' },
                  address: { type: 'string', format: 'ipv4' },
                  tags: {
                    type: 'array',
                    'x-kubernetes-list-type': 'set',
                    maxItems: 20,
                    items: { type: 'string', maxLength: 30 },
                  },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, count: { 'x-kubernetes-int-or-string': true } },
                    },
                  },
                  anything: { 'x-kubernetes-preserve-unknown-fields': true },
                  embedded: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  labels: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
              status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};

/** A good object of many kinds, and where it goes. */
const SAMPLES: readonly Sample[] = [
  {
    collection: CUSTOM_RESOURCES,
    object: {
      apiVersion: 'attack.test/v1',
      kind: 'Widget',
      metadata: METADATA,
      spec: {
        size: 3,
        colour: 'red',
        when: '2026-01-01T00:00:00Z',
        address: '10.0.0.1',
        tags: ['a', 'b'],
        parts: [{ name: 'p', count: '50%' }],
        anything: { a: [1, { b: 2 }] },
        embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
        labels: { a: 'b' },
      },
    },
  },
  {
    collection: CUSTOM_RESOURCES,
    object: {
      apiVersion: 'attack.test/v1',
      kind: 'Widget',
      metadata: METADATA,
      spec: { size: 300, tags: ['big'] },
      status: { replicas: 1, selector: 'a=b' },
    },
  },
  {
    collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    object: {
      ...CUSTOM_RESOURCE_DEFINITION,
      metadata: { name: 'gadgets.attack.test' },
      spec: { ...CUSTOM_RESOURCE_DEFINITION.spec, names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget' } },
    },
  },
  {
    dryRunOnly: true,
    collection: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'a1' },
      webhooks: [WEBHOOK],
    },
  },
  {
    dryRunOnly: true,
    collection: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'a1' },
      webhooks: [{ ...WEBHOOK, reinvocationPolicy: 'Never' }],
    },
  },
  {
    dryRunOnly: true,
    collection: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'a1' },
      ...POLICY,
    },
  },
  {
    dryRunOnly: true,
    collection: '/apis/apiregistration.k8s.io/v1/apiservices',
    object: {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.never.test' },
      spec: {
        group: 'never.test',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { name: 's', namespace: 'default' },
      },
    },
  },
  {
    dryRunOnly: true,
    collection: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    object: {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'a1' },
      spec: {
        priorityLevelConfiguration: { name: 'global-default' },
        matchingPrecedence: 9000,
        rules: [
          {
            subjects: [{ kind: 'Group', group: { name: 'never' } }],
            resourceRules: [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    },
  },
  {
    collection: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'a1' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  },
  {
    collection: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'a1' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a1' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'nobody' }],
    },
  },
  {
    collection: '/apis/authentication.k8s.io/v1/tokenreviews',
    object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'a.b.c', audiences: ['x'] } },
  },
  {
    collection: '/apis/storage.k8s.io/v1/storageclasses',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'a1' },
      provisioner: 'a.test/b',
      parameters: { a: 'b' },
    },
  },
  sample('/apis/resource.k8s.io/v1', 'resourceclaims', 'resource.k8s.io/v1', 'ResourceClaim', {
    spec: {
      devices: {
        requests: [
          {
            name: 'r',
            exactly: { deviceClassName: 'c', selectors: [{ cel: { expression: 'device.driver == "x"' } }] },
          },
        ],
      },
    },
  }),
  sample('/api/v1', 'pods', 'v1', 'Pod', { spec: POD_SPEC }),
  sample('/api/v1', 'configmaps', 'v1', 'ConfigMap', { data: { a: 'b' }, binaryData: { c: 'AAEC' } }),
  sample('/api/v1', 'secrets', 'v1', 'Secret', { type: 'Opaque', data: { a: 'Yg==' }, stringData: { c: 'd' } }),
  sample('/api/v1', 'services', 'v1', 'Service', {
    spec: {
      selector: { app: 'a' },
      ports: [{ name: 'h', port: 80, targetPort: 'http', protocol: 'TCP' }],
      type: 'NodePort',
      ipFamilies: ['IPv4'],
    },
  }),
  sample('/api/v1', 'serviceaccounts', 'v1', 'ServiceAccount', { secrets: [{ name: 'x' }] }),
  sample('/api/v1', 'persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  sample('/api/v1', 'limitranges', 'v1', 'LimitRange', {
    spec: { limits: [{ type: 'Container', max: { cpu: '4' }, default: { cpu: '1' } }] },
  }),
  sample('/api/v1', 'resourcequotas', 'v1', 'ResourceQuota', { spec: { hard: { pods: '1000' } } }),
  sample('/api/v1', 'events', 'v1', 'Event', {
    involvedObject: { kind: 'Pod', name: 'a1', namespace: 'default' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
  }),
  sample('/apis/apps/v1', 'deployments', 'apps/v1', 'Deployment', {
    spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE, strategy: { rollingUpdate: { maxSurge: '25%' } } },
  }),
  sample('/apis/apps/v1', 'statefulsets', 'apps/v1', 'StatefulSet', {
    spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE },
  }),
  sample('/apis/batch/v1', 'cronjobs', 'batch/v1', 'CronJob', {
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } } },
    },
  }),
  sample('/apis/batch/v1', 'jobs', 'batch/v1', 'Job', {
    spec: { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } },
  }),
  sample('/apis/autoscaling/v2', 'horizontalpodautoscalers', 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a1' },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  }),
  sample('/apis/networking.k8s.io/v1', 'ingresses', 'networking.k8s.io/v1', 'Ingress', {
    spec: {
      rules: [
        {
          host: 'a.test',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  sample('/apis/networking.k8s.io/v1', 'networkpolicies', 'networking.k8s.io/v1', 'NetworkPolicy', {
    spec: { podSelector: SELECTOR, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
  }),
  sample('/apis/rbac.authorization.k8s.io/v1', 'roles', 'rbac.authorization.k8s.io/v1', 'Role', {
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
  }),
  sample('/apis/policy/v1', 'poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget', {
    spec: { selector: SELECTOR, minAvailable: '50%' },
  }),
  sample('/apis/coordination.k8s.io/v1', 'leases', 'coordination.k8s.io/v1', 'Lease', {
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
  }),
  sample('/apis/discovery.k8s.io/v1', 'endpointslices', 'discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'] }],
    ports: [{ port: 80 }],
  }),
  {
    collection: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a1s.x.test' },
      spec: {
        group: 'x.test',
        scope: 'Namespaced',
        names: { plural: 'a1s', singular: 'a1', kind: 'A1' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
              },
            },
          },
        ],
      },
    },
  },
  {
    collection: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'u', groups: ['g'], resourceAttributes: { verb: 'get', resource: 'pods' } },
    },
  },
  {
    collection: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    object: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'a1' },
      spec: { request: 'AAAA', signerName: 'a.test/b', usages: ['client auth'] },
    },
  },
];

function sample(
  prefix: string,
  plural: string,
  apiVersion: string,
  kind: string,
  rest: { [key: string]: Json },
): { collection: string; object: Json } {
  return { collection: `${prefix}${NAMESPACED}/${plural}`, object: { apiVersion, kind, metadata: METADATA, ...rest } };
}

/** Good objects of all kinds that are stored: hostile requests need something to be about. */
export function goodObjects(): readonly { readonly collection: string; readonly object: object }[] {
  const stored = SAMPLES.filter(
    ({ dryRunOnly, collection }) => !dryRunOnly && !/reviews$|customresourcedefinitions$/.test(collection),
  );
  return stored.flatMap(({ collection, object }) =>
    ['a1', 'a2'].map((name) => ({ collection, object: { ...(object as object), metadata: { ...METADATA, name } } })),
  );
}

const OTHER_PATHS = [
  '/',
  '/api',
  '/apis',
  '/api/v1',
  '/apis/apps/v1',
  '/version',
  '/healthz',
  '/livez/ping',
  '/readyz?verbose',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/openid/v1/jwks',
  '/.well-known/openid-configuration',
  '/logs',
  '/debug/pprof',
  '/api/v1/watch/pods',
  '/api/v1/namespaces',
  '/api/v1/nodes',
  '/api/v1/componentstatuses',
];
const SUBRESOURCES = [
  'status',
  'scale',
  'log',
  'exec',
  'attach',
  'portforward',
  'proxy',
  'proxy/a/b',
  'binding',
  'eviction',
  'token',
  'finalize',
  'approval',
  'ephemeralcontainers',
  'resize',
  'nonsense',
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'BREW', 'get', 'PROPFIND'];
const CONTENT_TYPES = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
  'application/cbor',
  'text/plain',
  'application/json; charset=',
  ';',
  'multipart/form-data; boundary=x',
];
const PATCH_TYPES = CONTENT_TYPES.slice(3, 7);
const ACCEPTS = [
  '*/*',
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;q=0.5',
  'text/html',
  ';;;,,,q=',
  'application/json;stream=watch',
];
const QUERY_KEYS = [
  'watch',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'timeoutSeconds',
  'timeout',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'pretty',
  'propagationPolicy',
  'gracePeriodSeconds',
  'orphanDependents',
  'includeObject',
  'container',
  'command',
  'stdin',
  'export',
  '',
  '%',
  '__proto__',
];
const QUERY_VALUES = [
  '',
  '0',
  '1',
  '-1',
  'true',
  'false',
  'All',
  'Exact',
  'NotOlderThan',
  'Strict',
  'Warn',
  'Foreground',
  'a=b',
  'a in (b,c),!d',
  'metadata.name=a1',
  'spec.nodeName=x',
  ')(',
  '99999999999999999999',
  '1e9',
  'NaN',
  '%00',
  '%ff',
  '%',
  'a;b',
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAsInN0YXJ0IjoiYVx1MDAwMCJ9',
  '1s',
  '-5h',
  '\u{1f600}',
  '__proto__',
  '5',
];
const NAMES = [
  'a1',
  'a2',
  'a3',
  'a4',
  'A',
  '..',
  '.',
  '%2e%2e',
  '%00',
  '%ff',
  'a%2fb',
  '%25',
  'x'.repeat(300),
  '__proto__',
  'constructor',
  '\u00e9',
  '-',
  '*',
  'a b'.replace(' ', '%20'),
];

export function hostileRequest(random: Random): HostileRequest {
  const chance = random.next();
  if (chance < 0.05) return noise(random);
  const { collection, object, dryRunOnly } = pick(random, SAMPLES);
  const method = chance < 0.75 ? pick(random, METHODS.slice(0, 5)) : pick(random, METHODS);
  const oneObject = method === 'POST' ? random.next() < 0.1 : random.next() < 0.8;
  let path = random.next() < 0.1 ? pick(random, OTHER_PATHS) : collection;
  if (oneObject) path += `/${random.next() < 0.8 ? `a${1 + random.integer(4)}` : pick(random, NAMES)}`;
  if (oneObject && random.next() < 0.25) path += `/${pick(random, SUBRESOURCES)}`;
  if (random.next() < 0.1) path = mutatePath(random, path);
  path = withQuery(random, path, dryRunOnly ?? false);
  const headers: Record<string, string> = { accept: random.next() < 0.5 ? 'application/json' : pick(random, ACCEPTS) };
  oddHeaders(random, headers);
  if (method === 'GET' || method === 'HEAD' || random.next() < 0.05) return { method, path, headers };
  const contentType =
    method === 'PATCH' && random.next() < 0.9
      ? pick(random, PATCH_TYPES)
      : random.next() < 0.8
        ? 'application/json'
        : pick(random, CONTENT_TYPES);
  headers['content-type'] = contentType;
  let body = bodyOf(random, object, contentType);
  if (random.next() < 0.05) {
    headers['content-encoding'] = pick(random, ['gzip', 'gzip', 'deflate', 'br', 'identity']);
    if (random.next() < 0.5) body = gzipSync(body);
  }
  return { method, path, headers, body };
}

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

function noise(random: Random): HostileRequest {
  const path = `/${Buffer.from(random.bytes(random.integer(60)))
    .toString('latin1')
    .replace(/[^\x21-\x7e]/g, '/')}`;
  return {
    method: pick(random, METHODS),
    path,
    headers: { 'content-type': pick(random, CONTENT_TYPES) },
    body: Buffer.from(random.bytes(random.integer(500))),
  };
}

function mutatePath(random: Random, path: string): string {
  const at = random.integer(path.length);
  return pick(random, [
    () =>
      path.slice(0, at) +
      pick(random, ['//', '%', '%zz', '/../', '/./', '%2f', '\\', ';', '#', '%c0%80']) +
      path.slice(at),
    () => path.slice(0, Math.max(1, at)),
    () => `${path}/`,
    () => path + '/x'.repeat(random.integer(2000)),
    () => path.toUpperCase(),
    () => path.replace('default', pick(random, NAMES)),
    () => path.replace(/v\d/, pick(random, ['v0', 'v9', 'v1alpha1', ''])),
  ])();
}

function withQuery(random: Random, path: string, dryRunOnly: boolean): string {
  const pairs: string[] = random.next() < 0.3 || dryRunOnly ? ['dryRun=All'] : [];
  while (random.next() < 0.35)
    pairs.push(`${pick(random, QUERY_KEYS)}=${encodeSome(random, pick(random, QUERY_VALUES))}`);
  return pairs.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

const encodeSome = (random: Random, value: string): string =>
  random.next() < 0.8 ? encodeURIComponent(value) : value.replace(/[^\x21-\x7e]/g, '');

function oddHeaders(random: Random, headers: Record<string, string>): void {
  if (random.next() > 0.15) return;
  const [name, value] = pick(random, [
    ['authorization', 'Bearer x'],
    ['authorization', `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
    ['authorization', 'Basic eDp5'],
    ['impersonate-user', 'somebody'],
    ['impersonate-group', 'without-a-user'],
    ['impersonate-extra-%zz', 'x'],
    ['x-huge', 'h'.repeat(30_000)],
    ['accept-encoding', 'gzip;q=0, *'],
    ['if-none-match', '"x"'],
    ['user-agent', '\u00ff'.repeat(500)],
    ['content-length', '10'],
    ['x-remote-user', 'admin'],
    ['range', 'bytes=0-1'],
  ] as const);
  headers[name] = value;
}

const DEPTH = 10_000;

function bodyOf(random: Random, object: Json, contentType: string): Buffer {
  const chance = random.next();
  if (contentType.includes('json-patch')) return Buffer.from(JSON.stringify(jsonPatch(random, object)));
  if (contentType.includes('protobuf')) return protobuf(random);
  if (chance < 0.02) return Buffer.from(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`);
  if (chance < 0.04)
    return Buffer.from(JSON.stringify(object).replace('{', `{"x":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)},`));
  if (chance < 0.05) return Buffer.from(BILLION_LAUGHS);
  if (chance < 0.06)
    return Buffer.from(JSON.stringify(object).replace('"metadata":{', '"metadata":{"name":"b","name":"c",'));
  if (chance < 0.065) return Buffer.from(JSON.stringify(multiplied(random, withName(random, object))));
  if (chance < 0.07) return Buffer.from('x'.repeat(random.integer(200_000)));
  if (chance < 0.08) return Buffer.alloc(0);
  const mutated = chance < 0.85 ? mutateJson(random, withName(random, object)) : object;
  const bytes = Buffer.from(JSON.stringify(mutated));
  return chance > 0.9 ? mutateBytes(random, bytes) : bytes;
}

function withName(random: Random, object: Json): Json {
  const copy = structuredClone(object) as { metadata?: { name?: string } };
  if (copy.metadata && random.next() < 0.9) copy.metadata.name = `a${1 + random.integer(4)}`;
  return copy as Json;
}

const BILLION_LAUGHS = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`),
].join('\n');

const ODD_VALUES: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e300,
  9007199254740993,
  '',
  'x',
  '%',
  '\u0000',
  '\ud800',
  '1Gi',
  '99999999999Ei',
  '-',
  '*',
  'a/b',
  [],
  {},
  [null],
  [[]],
  { '': '' },
  ['x', 'x'],
  'z'.repeat(5000),
];

/** One list or one map of the document gets thousands of entries. */
function multiplied(random: Random, document: Json): Json {
  const places: [container: Json[] | { [key: string]: Json }, key: string][] = [];
  collect(document, places);
  const [container, key] = pick(random, places);
  const count = 1 + random.integer(4000);
  if (Array.isArray(container)) for (let i = 0; i < count; i++) container.push(structuredClone(container[0] ?? null));
  else for (let i = 0; i < count; i++) container[`${key}${i}`] = structuredClone(container[key] ?? null);
  return document;
}

/** Changes one to three places of a document. */
function mutateJson(random: Random, document: Json): Json {
  const places: [container: Json[] | { [key: string]: Json }, key: string][] = [];
  collect(document, places);
  for (let i = random.integer(3); i >= 0 && places.length > 0; i--) {
    const [container, key] = pick(random, places);
    const holder = container as { [key: string]: Json };
    const chance = random.next();
    if (chance < 0.5) holder[key] = structuredClone(pick(random, ODD_VALUES));
    else if (chance < 0.65) delete holder[key];
    else if (chance < 0.8)
      Object.defineProperty(
        holder,
        pick(random, [
          '__proto__',
          'constructor',
          'toString',
          'unknownField',
          '',
          '$patch',
          '$setElementOrder/containers',
          '$retainKeys',
        ]),
        { value: structuredClone(pick(random, ODD_VALUES)), enumerable: true, configurable: true, writable: true },
      );
    else if (Array.isArray(container)) container.push(structuredClone(container[0] ?? null));
    else holder[key] = [holder[key] ?? null];
  }
  return document;
}

function collect(value: Json, places: [Json[] | { [key: string]: Json }, string][]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    places.push([value, key]);
    collect((value as { [key: string]: Json })[key]!, places);
  }
}

function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.integer(bytes.length);
  return pick(random, [
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from(random.bytes(4)), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), bytes.subarray(at)]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  ])();
}

function jsonPatch(random: Random, object: Json): Json {
  if (random.next() < 0.1) return pick(random, ODD_VALUES);
  const operation = (): Json => ({
    op: pick(random, ['add', 'remove', 'replace', 'move', 'copy', 'test', 'nonsense']),
    path: pick(random, [
      '/metadata/labels/x',
      '/spec/replicas',
      '/spec/containers/0/image',
      '/spec/containers/-',
      '/',
      '',
      '/metadata',
      '/a~2',
      '/spec/containers/99999999999',
      '/__proto__/x',
      '/metadata/constructor/prototype/x',
      '/metadata/resourceVersion',
    ]),
    from: pick(random, ['/metadata/name', '/spec', '', '/nowhere']),
    value: random.next() < 0.2 ? object : pick(random, ODD_VALUES),
  });
  // More operations than are allowed, in less than a megabyte.
  if (random.next() < 0.02)
    return Array.from({ length: 1 + random.integer(11_000) }, () => ({
      op: 'test',
      path: '/metadata/name',
      value: 'a1',
    }));
  return Array.from({ length: 1 + random.integer(4) }, operation);
}

function protobuf(random: Random): Buffer {
  const garbage = Buffer.from(random.bytes(random.integer(300)));
  if (random.next() < 0.3) return garbage;
  const typeMeta = Buffer.from('0a070a02763112014f', 'hex');
  // An envelope of unknown kind, of Pod with garbage inside, and with lengths that lie.
  const pod = Buffer.from('0a090a0276311203506f64', 'hex');
  const raw = Buffer.concat([Buffer.from([0x12, garbage.length & 0x7f]), garbage]);
  return Buffer.concat([Buffer.from('6b387300', 'hex'), random.next() < 0.5 ? pod : typeMeta, raw]);
}
