/**
 * Names that every JavaScript object has are names like others when they come from outside: at each door, a request with
 * one of them gets the answer that it gets with a name that nobody has ever heard of.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestServer, type CallOptions, type TestServer } from '../../src/apiserver/testing/index.ts';
import { parseFlags } from '../../src/flags/index.ts';

/** Each with a name of the same form that no object has. */
const NAMES = [
  ['constructor', 'konstruktor'],
  ['__proto__', '__alien__'],
  ['toString', 'toStrung'],
  ['hasOwnProperty', 'hasOurProperty'],
  ['valueOf', 'valueOx'],
] as const;

const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const CUSTOMS = '/apis/keys.test/v1/namespaces/default/keys';
const JSON_PATCH = { contentType: 'application/json-patch+json' };
const MERGE_PATCH = { contentType: 'application/merge-patch+json' };
const STRATEGIC_PATCH = { contentType: 'application/strategic-merge-patch+json' };
const APPLY = { contentType: 'application/apply-patch+yaml' };

type Request = readonly [method: string, target: string, options?: CallOptions];

/** `__proto__` in a literal would set a prototype. */
const keyed = (name: string, value: unknown): Record<string, unknown> =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as Record<string, unknown>;
const query = (text: string): string => encodeURIComponent(text);
const post = (target: string, body: unknown, options: CallOptions = {}): Request => [
  'POST',
  target,
  { body, ...options },
];
const patch = (target: string, options: CallOptions, body: unknown): Request => ['PATCH', target, { ...options, body }];
const pod = (spec: object, metadata: object = {}): unknown => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const container = (fields: object): unknown => pod({ containers: [{ name: 'c', image: 'i', ...fields }] });
const definition = (property: string, schema: object): unknown => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'others.keys.test' },
  spec: {
    group: 'keys.test',
    scope: 'Namespaced',
    names: { plural: 'others', kind: 'Other' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: keyed(property, schema) } },
          },
        },
      },
    ],
  },
});
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';

/** What is asked with a name. `all` is dry: nothing of it stays. */
const DOORS: Readonly<Record<string, (name: string) => Request>> = {
  'a subresource': (name) => ['GET', `${PODS}/pod/${name}`],
  'a subresource that is written': (name) => ['PUT', `${PODS}/pod/${name}`, { body: pod({}) }],
  'a subresource that is created': (name) => post(`${PODS}/pod/${name}`, {}),
  'a subresource of a subresource': (name) => ['GET', `${PODS}/pod/status/${name}`],
  'a subresource of a custom resource': (name) => ['GET', `${CUSTOMS}/key/${name}`],
  'a resource': (name) => ['GET', `/api/v1/namespaces/default/${name}`],
  'a resource of the cluster': (name) => ['GET', `/api/v1/${name}`],
  'a name': (name) => ['GET', `${PODS}/${name}`],
  'a namespace': (name) => ['GET', `/api/v1/namespaces/${name}/pods`],
  'a group': (name) => ['GET', `/apis/${name}`],
  'a group and version': (name) => ['GET', `/apis/${name}/v1`],
  'a version': (name) => ['GET', `/apis/apps/${name}`],
  'a version of a resource': (name) => ['GET', `/apis/apps/${name}/deployments`],
  'a version of the core': (name) => ['GET', `/api/${name}/pods`],
  'a path': (name) => ['GET', `/${name}`],
  'a health check': (name) => ['GET', `/healthz/${name}`],
  'an excluded health check': (name) => ['GET', `/readyz?exclude=${name}`],
  'an OpenAPI document': (name) => ['GET', `/openapi/v3/${name}`],
  'an OpenAPI document of a group': (name) => ['GET', `/openapi/v3/apis/${name}/v1`],
  'a method': (name) => [name, PODS],
  'a field selector': (name) => ['GET', `${PODS}?fieldSelector=${query(`${name}=x`)}`],
  'a field selector that excludes': (name) => ['GET', `${PODS}?fieldSelector=${query(`${name}!=x`)}`],
  'a field selector of metadata': (name) => ['GET', `${CONFIG_MAPS}?fieldSelector=${query(`metadata.${name}!=x`)}`],
  'a field selector of a custom resource': (name) => ['GET', `${CUSTOMS}?fieldSelector=${query(`${name}!=x`)}`],
  'a field selector of a watch': (name) => [
    'GET',
    `${PODS}?watch=1&timeoutSeconds=1&fieldSelector=${query(`${name}!=x`)}`,
  ],
  'a field selector of a deletion': (name) => ['DELETE', `${PODS}?dryRun=All&fieldSelector=${query(`${name}=x`)}`],
  'a label that must be there': (name) => ['GET', `${PODS}?labelSelector=${query(name)}`],
  'a label that must not be there': (name) => ['GET', `${PODS}?labelSelector=${query(`!${name}`)}`],
  'a label that must be something': (name) => ['GET', `${PODS}?labelSelector=${query(`${name}=x`)}`],
  'a label that must not be something': (name) => ['GET', `${PODS}?labelSelector=${query(`${name}!=x`)}`],
  'a label that must be larger': (name) => ['GET', `${PODS}?labelSelector=${query(`${name}>1`)}`],
  'a label that must be one of': (name) => ['GET', `${PODS}?labelSelector=${query(`${name} notin (x)`)}`],
  'a parameter': (name) => ['GET', `${PODS}?${name}=x`],
  'a parameter of a write': (name) => post(`${CONFIG_MAPS}?dryRun=All&${name}=x`, { metadata: { name: 'new' } }),
  'a value of dryRun': (name) => post(`${CONFIG_MAPS}?dryRun=${name}`, { metadata: { name: 'new' } }),
  'a value of fieldValidation': (name) =>
    post(`${CONFIG_MAPS}?dryRun=All&fieldValidation=${name}`, { metadata: { name: 'new' } }),
  'a value of propagationPolicy': (name) => ['DELETE', `${PODS}/pod?dryRun=All&propagationPolicy=${name}`],
  'a value of resourceVersionMatch': (name) => ['GET', `${PODS}?resourceVersion=1&resourceVersionMatch=${name}`],
  'a field manager': (name) => post(`${CONFIG_MAPS}?dryRun=All&fieldManager=${name}`, { metadata: { name: 'new' } }),
  'an include of a table': (name) => [
    'GET',
    `${PODS}?includeObject=${name}`,
    { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  ],
  'a form of the answer': (name) => ['GET', PODS, { accept: `application/json;as=${name};v=v1;g=meta.k8s.io` }],
  'a media type of the answer': (name) => ['GET', PODS, { accept: `application/${name}` }],
  'a parameter of a media type': (name) => ['GET', PODS, { accept: `application/json;${name}=x` }],
  'a media type of a body': (name) => post(CONFIG_MAPS, '{}', { contentType: `application/${name}` }),
  'a media type of a patch': (name) => patch(`${CONFIG_MAPS}/map`, { contentType: `application/${name}` }, '{}'),
  'an encoding': (name) => ['GET', PODS, { headers: { 'accept-encoding': name } }],
  'a header': (name) => ['GET', PODS, { headers: Object.fromEntries([[name.toLowerCase(), 'x']]) }],
  'an impersonated extra': (name) => [
    'GET',
    PODS,
    { headers: { 'impersonate-user': 'somebody', [`impersonate-extra-${name}`]: 'x' } },
  ],
  'an impersonated user': (name) => ['GET', PODS, { headers: { 'impersonate-user': name } }],
  'a scheme of credentials': (name) => ['GET', PODS, { headers: { authorization: `${name} x` } }],
  'a kind': (name) => post(CONFIG_MAPS, { apiVersion: 'v1', kind: name, metadata: { name: 'new' } }),
  'a version of a body': (name) =>
    post(CONFIG_MAPS, { apiVersion: name, kind: 'ConfigMap', metadata: { name: 'new' } }),
  'an unknown field': (name) => post(`${CONFIG_MAPS}?dryRun=All&fieldValidation=Strict`, keyed(name, 1)),
  'an unknown field of a pod': (name) =>
    post(
      `${PODS}?dryRun=All&fieldValidation=Strict`,
      JSON.stringify(pod({ extra: 0 })).replace('"extra"', JSON.stringify(name)),
    ),
  'a volume': (name) =>
    post(
      `${PODS}?dryRun=All`,
      JSON.stringify(pod({ volumes: [{ name: 'v', x: {} }] })).replace('"x"', JSON.stringify(name)),
    ),
  'a label of an object': (name) =>
    post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'new', labels: keyed(name, 'x') } }),
  'a value that is no text': (name) =>
    post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'new' }, data: keyed(name, { a: 1 }) }),
  'a key of data': (name) => post(`${CONFIG_MAPS}?dryRun=All`, { metadata: { name: 'new' }, data: keyed(name, 'x') }),
  'a key twice': (name) =>
    post(`${CONFIG_MAPS}?dryRun=All`, {
      metadata: { name: 'new' },
      data: keyed(name, 'x'),
      binaryData: keyed(name, 'AAAA'),
    }),
  'a type of a secret': (name) =>
    post('/api/v1/namespaces/default/secrets?dryRun=All', { metadata: { name: 'new' }, type: name }),
  'a resource of a container': (name) =>
    post(`${PODS}?dryRun=All`, container({ resources: { limits: keyed(name, '1') } })),
  'a request of a container': (name) =>
    post(`${PODS}?dryRun=All`, container({ resources: { requests: keyed(name, '1') } })),
  'a variable of a container': (name) =>
    post(
      `${PODS}?dryRun=All`,
      container({ env: [{ name, valueFrom: { fieldRef: { fieldPath: `metadata.${name}` } } }] }),
    ),
  'a policy of restarts': (name) => post(`${PODS}?dryRun=All`, pod({ restartPolicy: name })),
  'a policy of DNS': (name) => post(`${PODS}?dryRun=All`, pod({ dnsPolicy: name })),
  'an effect of a toleration': (name) =>
    post(`${PODS}?dryRun=All`, pod({ tolerations: [{ key: 'k', operator: name, effect: name }] })),
  'an operator of affinity': (name) =>
    post(
      `${PODS}?dryRun=All`,
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: name, operator: name }] }],
            },
          },
        },
      }),
    ),
  'a class of priority': (name) => post(`${PODS}?dryRun=All`, pod({ priorityClassName: name })),
  'a class of runtime': (name) => post(`${PODS}?dryRun=All`, pod({ runtimeClassName: name })),
  'a system control': (name) =>
    post(`${PODS}?dryRun=All`, pod({ securityContext: { sysctls: [{ name, value: '1' }] } })),
  'a type of a probe': (name) =>
    post(`${PODS}?dryRun=All`, container({ ports: [{ containerPort: 1, protocol: name }] })),
  'a type of a service': (name) =>
    post('/api/v1/namespaces/default/services?dryRun=All', {
      metadata: { name: 'new' },
      spec: { type: name, ports: [{ port: 1, protocol: name }] },
    }),
  'a quota': (name) =>
    post('/api/v1/namespaces/default/resourcequotas?dryRun=All', {
      metadata: { name: 'new' },
      spec: { hard: keyed(name, '1'), scopes: [name] },
    }),
  'a scope of a quota': (name) =>
    post('/api/v1/namespaces/default/resourcequotas?dryRun=All', {
      metadata: { name: 'new' },
      spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: name, values: ['x'] }] } },
    }),
  'a limit range': (name) =>
    post('/api/v1/namespaces/default/limitranges?dryRun=All', {
      metadata: { name: 'new' },
      spec: { limits: [{ type: name, max: keyed(name, '1') }] },
    }),
  'a schedule': (name) =>
    post('/apis/batch/v1/namespaces/default/cronjobs?dryRun=All', {
      metadata: { name: 'new' },
      spec: {
        schedule: `* * * ${name} ${name}`,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
        },
      },
    }),
  'a class of a claim': (name) =>
    post('/api/v1/namespaces/default/persistentvolumeclaims?dryRun=All', {
      metadata: { name: 'new' },
      spec: { accessModes: [name], storageClassName: name, resources: { requests: { storage: '1' } } },
    }),
  'a metric of an autoscaler': (name) =>
    post('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers?dryRun=All', {
      metadata: { name: 'new' },
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        metrics: [{ type: name }],
      },
    }),
  'a usage of a certificate': (name) =>
    post('/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All', {
      metadata: { name: 'new' },
      spec: { signerName: 'a.test/b', request: 'AAAA', usages: [name] },
    }),
  'an operation of a webhook': (name) =>
    post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All', {
      metadata: { name: 'new' },
      webhooks: [
        {
          name: 'a.b.test',
          sideEffects: name,
          failurePolicy: name,
          matchPolicy: name,
          admissionReviewVersions: [name],
          clientConfig: { url: 'https://a.test' },
          rules: [{ operations: [name], apiGroups: [name], apiVersions: [name], resources: [name] }],
        },
      ],
    }),
  'a reason of a policy': (name) =>
    post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All', {
      metadata: { name: 'new' },
      spec: {
        validations: [{ expression: 'true', reason: name }],
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
      },
    }),
  'a name in CEL': (name) =>
    post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All', {
      metadata: { name: 'new' },
      spec: {
        validations: [{ expression: `${name} == 1` }],
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
      },
    }),
  'a function in CEL': (name) =>
    post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All', {
      metadata: { name: 'new' },
      spec: {
        validations: [{ expression: `${name}(1) == 'a'.${name}(1)` }],
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
      },
    }),
  'a field in CEL': (name) =>
    post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All', {
      metadata: { name: 'new' },
      spec: {
        validations: [{ expression: `object.${name} == request.${name}` }],
        matchConstraints: {
          resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
        },
      },
    }),
  'a verb of a review': (name) =>
    post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      spec: {
        user: 'u',
        extra: keyed(name, ['x']),
        resourceAttributes: {
          verb: name,
          resource: name,
          group: name,
          subresource: name,
          labelSelector: { requirements: [{ key: name, operator: name }] },
        },
      },
    }),
  'a path of a review': (name) =>
    post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { nonResourceAttributes: { verb: name, path: `/${name}` } },
    }),
  'a token': (name) => post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: name } }),
  'a node to a subject of the Node authorizer': (name) => [
    'GET',
    `/apis/${name}/v1/${name}`,
    { user: { name: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] } },
  ],
  'a JSON patch: add': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: 'add', path: `/${name}/x`, value: 1 }]),
  'a JSON patch: test': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: 'test', path: `/${name}`, value: 1 }]),
  'a JSON patch: remove': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: 'remove', path: `/${name}` }]),
  'a JSON patch: replace': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: 'replace', path: `/data/${name}`, value: 'x' }]),
  'a JSON patch: copy': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: 'copy', from: `/${name}`, path: '/data/x' }]),
  'a JSON patch: move': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: 'move', from: `/data/${name}`, path: '/data/x' }]),
  'a JSON patch: an operation': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, JSON_PATCH, [{ op: name, path: '/data/x', value: 'x' }]),
  'a JSON patch: of a list': (name) =>
    patch(`${PODS}/pod?dryRun=All`, JSON_PATCH, [{ op: 'add', path: `/spec/containers/${name}`, value: {} }]),
  'a JSON patch: the length of a list': (name) =>
    patch(`${PODS}/pod?dryRun=All`, JSON_PATCH, [{ op: 'test', path: `/spec/containers/${name}`, value: 1 }]),
  'a merge patch': (name) => patch(`${CONFIG_MAPS}/map?dryRun=All`, MERGE_PATCH, { data: keyed(name, 'x') }),
  'a merge patch that removes': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, MERGE_PATCH, { data: keyed(name, null) }),
  'a merge patch that merges': (name) =>
    patch(`${CONFIG_MAPS}/map?dryRun=All`, MERGE_PATCH, keyed(name, { polluted: 'x' })),
  'a strategic merge patch': (name) => patch(`${PODS}/pod?dryRun=All`, STRATEGIC_PATCH, keyed(name, { polluted: 'x' })),
  'a strategic merge patch of a label': (name) =>
    patch(`${PODS}/pod?dryRun=All`, STRATEGIC_PATCH, { metadata: { labels: keyed(name, 'x') } }),
  'a directive': (name) => patch(`${PODS}/pod?dryRun=All`, STRATEGIC_PATCH, { metadata: { labels: { $patch: name } } }),
  'an order of elements': (name) =>
    patch(`${PODS}/pod?dryRun=All`, STRATEGIC_PATCH, { spec: keyed(`$setElementOrder/${name}`, [{ name: 'c' }]) }),
  'a deletion from a list': (name) =>
    patch(`${PODS}/pod?dryRun=All`, STRATEGIC_PATCH, { metadata: keyed(`$deleteFromPrimitiveList/${name}`, ['x']) }),
  'retained keys': (name) =>
    patch(`${PODS}/pod?dryRun=All`, STRATEGIC_PATCH, { spec: { $retainKeys: [name], activeDeadlineSeconds: 5 } }),
  'an applied field': (name) =>
    patch(`${CONFIG_MAPS}/map?fieldManager=m&dryRun=All`, APPLY, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'map' },
      data: keyed(name, 'x'),
    }),
  'an applied unknown field': (name) =>
    patch(
      `${PODS}/pod?fieldManager=m&dryRun=All`,
      APPLY,
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'pod' }, x: { polluted: 1 } }).replace(
        '"x"',
        JSON.stringify(name),
      ),
    ),
  'managed fields': (name) => [
    'PUT',
    `${CONFIG_MAPS}/map?dryRun=All`,
    {
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'map',
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: keyed(`f:${name}`, {}),
            },
          ],
        },
      },
    },
  ],
  'a property of a schema': (name) => post(DEFINITIONS, definition(name, { type: 'string' })),
  'a type of a schema': (name) => post(DEFINITIONS, definition('p', { type: name })),
  'a format of a schema': (name) => post(DEFINITIONS, definition('p', { type: 'string', format: name })),
  'a required property': (name) => post(DEFINITIONS, definition('p', { type: 'object', required: [name] })),
  'a rule of a schema': (name) =>
    post(
      DEFINITIONS,
      definition('p', { type: 'object', 'x-kubernetes-validations': [{ rule: `self.${name} == 1`, reason: name }] }),
    ),
  'a key of a list': (name) =>
    post(
      DEFINITIONS,
      definition('p', {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': [name],
        items: { type: 'object', properties: { a: { type: 'string' } } },
      }),
    ),
  'a class of a pattern': (name) => post(DEFINITIONS, definition('p', { type: 'string', pattern: `[[:${name}:]]` })),
  'a property of a pattern': (name) => post(DEFINITIONS, definition('p', { type: 'string', pattern: `\\p{${name}}` })),
  'a field of a custom resource': (name) =>
    post(`${CUSTOMS}?dryRun=All`, {
      apiVersion: 'keys.test/v1',
      kind: 'Key',
      metadata: { name: 'new' },
      spec: keyed(name, 'x'),
    }),
  'a pruned field of a custom resource': (name) =>
    post(`${CUSTOMS}?dryRun=All&fieldValidation=Strict`, {
      apiVersion: 'keys.test/v1',
      kind: 'Key',
      metadata: { name: 'new' },
      closed: keyed(name, 'x'),
    }),
  'a patched field of a custom resource': (name) =>
    patch(`${CUSTOMS}/key?dryRun=All`, MERGE_PATCH, { spec: keyed(name, 'x') }),
  'an applied field of a custom resource': (name) =>
    patch(`${CUSTOMS}/key?fieldManager=m&dryRun=All`, APPLY, {
      apiVersion: 'keys.test/v1',
      kind: 'Key',
      metadata: { name: 'key' },
      spec: keyed(name, 'x'),
    }),
  'an object that a token is bound to': (name) =>
    post('/api/v1/namespaces/default/serviceaccounts/default/token', {
      spec: { boundObjectRef: { apiVersion: 'v1', kind: name, name: 'x' } },
    }),
  'a key of YAML': (name) => [
    'POST',
    `${CONFIG_MAPS}?dryRun=All&fieldValidation=Strict`,
    {
      contentType: 'application/yaml',
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata:\n  ${name}: a\n`,
    },
  ],
  'an anchor of YAML': (name) => [
    'POST',
    `${CONFIG_MAPS}?dryRun=All`,
    {
      contentType: 'application/yaml',
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: *${name}}\n`,
    },
  ],
  'a tag of YAML': (name) => [
    'POST',
    `${CONFIG_MAPS}?dryRun=All`,
    {
      contentType: 'application/yaml',
      body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: !!${name} b}\n`,
    },
  ],
};

/** What differs between two answers to the same question with another name in it. */
function withoutName(text: string, name: string): string {
  return text
    .replaceAll(name, '<name>')
    .replaceAll(name.toLowerCase(), '<name>')
    .replace(/"(uid|resourceVersion|time|creationTimestamp|auditID)":"[^"]*"/g, '"$1":""')
    .replace(/kube-api-access-\w+/g, 'kube-api-access')
    .replace(/generated at \S+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');
}

describe('names from outside', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
    const made = [
      await server.call('POST', PODS, { body: pod({}, { name: 'pod' }) }),
      await server.call('POST', CONFIG_MAPS, {
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' }, data: { a: 'b' } },
      }),
      await server.call('POST', DEFINITIONS.replace('?dryRun=All', ''), {
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'keys.keys.test' },
          spec: {
            group: 'keys.test',
            scope: 'Namespaced',
            names: { plural: 'keys', singular: 'key', kind: 'Key' },
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: {
                      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                      closed: { type: 'object' },
                    },
                  },
                },
              },
            ],
          },
        },
      }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    const custom = { apiVersion: 'keys.test/v1', kind: 'Key', metadata: { name: 'key' } };
    await vi.waitFor(async () => expect((await server.call('POST', CUSTOMS, { body: custom })).status).toBe(201));
  });
  afterAll(() => server.stop());

  async function answerTo(door: (name: string) => Request, name: string): Promise<string> {
    const [method, target, options] = door(name);
    const { status, text, warnings } = await server.call(method, target, options);
    return `${status} ${withoutName(text, name)} ${withoutName(warnings.join('\n'), name)}`;
  }

  describe.each(Object.entries(DOORS))('as %s', (_door, door) => {
    it.each(NAMES)('%s is an ordinary name', async (name, stranger) => {
      expect(await answerTo(door, name)).toBe(await answerTo(door, stranger));
    });
  });

  it.each(NAMES)('a property %s of a schema is absent where it is not given', async (name, stranger) => {
    const answers = [];
    for (const property of [name, stranger]) {
      const plural = `p${property.toLowerCase().replaceAll('_', '')}s`;
      const kind = plural.toUpperCase();
      const properties = {
        ...keyed(property, { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == "x"' }] }),
        other: { type: 'string' },
      };
      const spec = {
        group: 'keys.test',
        scope: 'Namespaced',
        names: { plural, singular: plural.slice(0, -1), kind },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', required: ['other'], properties } },
              },
            },
            additionalPrinterColumns: [{ name: 'C', type: 'string', jsonPath: `.spec.${property}` }],
          },
        ],
      };
      const made = await server.call('POST', DEFINITIONS.replace('?dryRun=All', ''), {
        body: {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `${plural}.keys.test` },
          spec,
        },
      });
      expect(made.status).toBe(201);
      const path = `/apis/keys.test/v1/namespaces/default/${plural}`;
      const object = { apiVersion: 'keys.test/v1', kind, metadata: { name: 'a' }, spec: { other: 'x' } };
      await vi.waitFor(async () => expect((await server.call('POST', path, { body: object })).status).toBe(201));
      const asked = [
        await server.call('GET', `${path}/a`),
        await server.call('GET', path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
        await server.call('POST', `${path}?dryRun=All`, {
          body: { ...object, metadata: { name: 'b' }, spec: keyed(property, 'y') },
        }),
        await server.call('PATCH', `${path}/a?fieldManager=m&dryRun=All`, {
          ...APPLY,
          body: { ...object, spec: { ...keyed(property, 'x'), other: 'x' } },
        }),
      ];
      answers.push(
        asked.map(
          ({ status, text }) =>
            `${status} ${withoutName(text, property).replaceAll(plural, '<plural>').replaceAll(kind, '<kind>').replaceAll(plural.slice(1, -1), '<name>')}`,
        ),
      );
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('has not polluted prototypes', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

it.each(NAMES)('a flag --%s is unknown', (name) => {
  expect(() => parseFlags([`--${name}=x`], { other: { kind: 'text', help: '' } } as never)).toThrow(
    `unknown flag: --${name}`,
  );
});
