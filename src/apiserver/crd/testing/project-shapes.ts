/**
 * The shapes that definitions of well-known projects have, in a few fields each: what makes them large, or their rules
 * costly. kube-apiserver v1.36.4 takes each of them, with its `good` spec, and refuses the `bad` one.
 */
import type { Schema } from '../../../machinery/validation/apiextensions/index.ts';

interface ProjectShape {
  readonly project: string;
  readonly spec: Schema;
  readonly good: object;
  readonly bad: object;
}

const text = (maxLength?: number): Schema => ({ type: 'string', ...(maxLength === undefined ? {} : { maxLength }) });
const integer: Schema = { type: 'integer' };
const boolean: Schema = { type: 'boolean' };
const object = (properties: Record<string, Schema>, ...rules: string[]): Schema => ({
  type: 'object',
  properties,
  ...ruled(rules),
});
const list = (items: Schema, maxItems?: number, ...rules: string[]): Schema => ({
  type: 'array',
  items,
  ...(maxItems === undefined ? {} : { maxItems }),
  ...ruled(rules),
});
const map = (value: Schema, maxProperties?: number, ...rules: string[]): Schema => ({
  type: 'object',
  additionalProperties: value,
  ...(maxProperties === undefined ? {} : { maxProperties }),
  ...ruled(rules),
});
const ruled = (rules: readonly string[]): Schema =>
  rules.length === 0 ? {} : { 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
const exactlyOne = (...names: string[]): string =>
  `[${names.map((name) => `has(self.${name})`).join(', ')}].exists_one(x, x)`;

const listener = object({
  name: text(253),
  port: integer,
  protocol: text(255),
  hostname: text(253),
  tls: object({ mode: text(), certificateRefs: list(object({ name: text(253) }), 64), options: map(text(4096), 16) }),
});
const parent = object({
  group: text(253),
  kind: text(63),
  namespace: text(63),
  name: text(253),
  sectionName: text(253),
});
const requirement = object({ key: text(316), operator: text(), values: list(text(), 50), minValues: integer });
const condition = object({ type: text(316), status: text() });

export const PROJECT_SHAPES: readonly ProjectShape[] = [
  {
    project: 'Gateway API: listeners',
    spec: object({
      listeners: {
        ...list(
          listener,
          64,
          "self.all(l, l.protocol in ['HTTP', 'TCP', 'UDP'] ? !has(l.tls) : true)",
          'self.all(a, self.exists_one(b, a.port == b.port && a.protocol == b.protocol && (has(a.hostname) && has(b.hostname) ? a.hostname == b.hostname : !has(a.hostname) && !has(b.hostname))))',
        ),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { ...listener, required: ['name', 'port', 'protocol'] },
      },
    }),
    good: {
      listeners: [
        { name: 'a', port: 80, protocol: 'HTTP' },
        { name: 'b', port: 443, protocol: 'HTTPS', tls: {} },
      ],
    },
    bad: { listeners: [{ name: 'a', port: 80, protocol: 'HTTP', tls: {} }] },
  },
  {
    project: 'Gateway API: routes',
    spec: object({
      parentRefs: list(
        { ...parent, required: ['name'] },
        32,
        'self.all(a, self.exists_one(b, a.name == b.name && (!has(a.__namespace__) && !has(b.__namespace__) || has(a.__namespace__) && has(b.__namespace__) && a.__namespace__ == b.__namespace__) && (!has(a.sectionName) && !has(b.sectionName) || has(a.sectionName) && has(b.sectionName) && a.sectionName == b.sectionName)))',
      ),
    }),
    good: { parentRefs: [{ name: 'a' }, { name: 'a', sectionName: 'x' }] },
    bad: { parentRefs: [{ name: 'a' }, { name: 'a' }] },
  },
  {
    project: 'Istio: names of ports as keys',
    spec: object({
      ports: map(integer, 128, "self.all(key, size(key) < 63 && key.matches('^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$'))"),
    }),
    good: { ports: { http: 80 } },
    bad: { ports: { 'not a name': 80 } },
  },
  {
    project: 'Istio: numbers of ports as keys',
    spec: object({
      portLevelMtls: map(object({ mode: text() }), undefined, 'self.all(key, 0 < int(key) && int(key) <= 65535)'),
    }),
    good: { portLevelMtls: { 8080: { mode: 'STRICT' } } },
    bad: { portLevelMtls: { 70000: { mode: 'STRICT' } } },
  },
  {
    project: 'Calico: address pools',
    spec: object(
      {
        cidr: { type: 'string', format: 'cidr' },
        blockSize: integer,
        nodeSelector: text(),
        allowedUses: list(text(), 10),
      },
      "!has(self.allowedUses) || !self.allowedUses.exists(use, use == 'LoadBalancer') || self.nodeSelector == 'all()'",
      '!has(self.blockSize) || cidr(self.cidr).ip().family() != 4 || cidr(self.cidr).prefixLength() <= self.blockSize',
    ),
    good: { cidr: '10.0.0.0/16', blockSize: 26, nodeSelector: 'all()', allowedUses: ['LoadBalancer'] },
    bad: { cidr: '10.0.0.0/28', blockSize: 26 },
  },
  {
    project: 'CloudNativePG: immutable parts of an atomic reference',
    spec: object({
      imageCatalogRef: {
        ...object({ name: text(), major: { ...integer, ...ruled(['self == oldSelf || self > 0']) } }),
        'x-kubernetes-map-type': 'atomic',
      },
      images: list(
        object({ major: integer, image: text() }),
        8,
        'self.all(e, self.filter(f, f.major == e.major).size() == 1)',
      ),
    }),
    good: { imageCatalogRef: { name: 'a', major: 17 }, images: [{ major: 17, image: 'x' }] },
    bad: {
      images: [
        { major: 17, image: 'x' },
        { major: 17, image: 'y' },
      ],
    },
  },
  {
    project: 'Karpenter: requirements and labels',
    spec: object({
      labels: {
        ...map(
          { ...text(63) },
          100,
          "self.all(x, x in ['karpenter.sh/capacity-type'] || !x.find('^([^/]+)').endsWith('karpenter.sh'))",
        ),
        'x-kubernetes-map-type': 'atomic',
      },
      requirements: list(
        requirement,
        100,
        "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)",
        "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)",
        "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)",
      ),
    }),
    good: { labels: { team: 'a' }, requirements: [{ key: 'zone', operator: 'In', values: ['a', 'b'], minValues: 2 }] },
    bad: { requirements: [{ key: 'cpu', operator: 'Gt', values: ['-1'] }] },
  },
  {
    project: 'Karpenter on AWS: durations and sizes',
    spec: object({
      httpTokens: text(),
      volumes: list(
        object({ rootVolume: boolean, size: { type: 'string', pattern: '^[0-9]+(Gi|Ti)$' } }),
        50,
        'self.filter(x, has(x.rootVolume) ? x.rootVolume == true : false).size() <= 1',
      ),
    }),
    good: { volumes: [{ rootVolume: true, size: '20Gi' }] },
    bad: { volumes: [{ rootVolume: true }, { rootVolume: true }] },
  },
  {
    project: 'Kueue: changes after admission',
    spec: object(
      { priority: integer, conditions: list(condition, 16) },
      "!self.conditions.exists(c, c.type == 'Admitted' && c.status == 'True') || has(self.priority)",
    ),
    good: { priority: 1, conditions: [{ type: 'Admitted', status: 'True' }] },
    bad: { conditions: [{ type: 'Admitted', status: 'True' }] },
  },
  {
    project: 'Cluster API: unique names',
    spec: object({
      extraArgs: list(
        object({ name: text(256), value: text(1024) }),
        100,
        'self.all(x, self.exists_one(y, x.name == y.name))',
      ),
    }),
    good: { extraArgs: [{ name: 'v', value: '2' }] },
    bad: { extraArgs: [{ name: 'v' }, { name: 'v' }] },
  },
  {
    project: 'cert-manager: one of several issuers',
    spec: object({
      venafi: object({ tpp: object({ url: text() }), cloud: object({ zone: text() }) }, exactlyOne('tpp', 'cloud')),
    }),
    good: { venafi: { cloud: { zone: 'a' } } },
    bad: { venafi: {} },
  },
  {
    project: 'Argo Workflows: kinds of templates',
    spec: object({
      templates: list(
        object({ container: object({ image: text() }), script: object({ source: text() }), steps: list(text()) }),
        200,
        'self.all(t, (has(t.container) ? 1 : 0) + (has(t.script) ? 1 : 0) + (has(t.steps) ? 1 : 0) <= 1)',
      ),
    }),
    good: { templates: [{ container: { image: 'a' } }] },
    bad: { templates: [{ container: { image: 'a' }, script: { source: 'b' } }] },
  },
  {
    project: 'Argo CD: open values',
    spec: object({
      source: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      revision: { 'x-kubernetes-int-or-string': true },
    }),
    good: { source: { helm: { values: [1, { a: null }] } }, revision: 'main' },
    bad: { revision: 1.5 },
  },
  {
    project: 'Crossplane: names of packages',
    spec: object({
      package: { ...text(), ...ruled([String.raw`self.matches('^[^./]+([.][^./]+)+(/[^/:@]+)+(:[^:@]+)?$')`]) },
    }),
    good: { package: 'registry.example.org/team/provider:v1' },
    bad: { package: 'provider' },
  },
  {
    project: 'Envoy Gateway: policies',
    spec: object(
      { targetRef: parent, targetRefs: list(parent, 16), timeout: { type: 'string', format: 'duration' } },
      '(has(self.targetRef) && !has(self.targetRefs)) || (!has(self.targetRef) && has(self.targetRefs))',
      "!has(self.timeout) || self.timeout >= duration('0s')",
    ),
    good: { targetRef: { name: 'a' }, timeout: '5s' },
    bad: { targetRef: { name: 'a' }, targetRefs: [] },
  },
  {
    project: 'External Secrets: ways to authenticate',
    spec: object({
      auth: object(
        { appRole: text(), tokenSecretRef: text(), userPass: text() },
        '[has(self.appRole), has(self.tokenSecretRef), has(self.userPass)].filter(x, x == true).size() == 1',
      ),
    }),
    good: { auth: { appRole: 'a' } },
    bad: { auth: { appRole: 'a', userPass: 'b' } },
  },
  {
    project: 'Flux: sources',
    spec: object(
      { chart: text(), chartRef: text(), url: text() },
      exactlyOne('chart', 'chartRef'),
      "!has(self.url) || isURL(self.url) && url(self.url).getScheme() in ['https', 'oci']",
    ),
    good: { chart: 'a', url: 'https://example.org' },
    bad: { chart: 'a', url: 'ftp://example.org' },
  },
  {
    project: 'Grafana: embedded routes',
    spec: object({
      rules: list(
        object({ matches: list(object({ path: text(1024) }), 64) }),
        16,
        '(self.size() > 0 ? self[0].matches.size() : 0) + (self.size() > 1 ? self[1].matches.size() : 0) <= 3',
      ),
    }),
    good: { rules: [{ matches: [{ path: '/' }] }] },
    bad: { rules: [{ matches: [{}, {}] }, { matches: [{}, {}] }] },
  },
  {
    project: 'KEDA: replicas',
    spec: object(
      { minReplicaCount: integer, maxReplicaCount: integer },
      '!has(self.minReplicaCount) || self.minReplicaCount <= (has(self.maxReplicaCount) ? self.maxReplicaCount : 100)',
    ),
    good: { minReplicaCount: 1 },
    bad: { minReplicaCount: 101 },
  },
  {
    project: 'Knative: quantities',
    spec: object(
      { requests: map({ 'x-kubernetes-int-or-string': true }), limit: text(64), request: text(64) },
      '!has(self.limit) || quantity(self.request).compareTo(quantity(self.limit)) <= 0',
      '!has(self.limit) || quantity(self.limit) == quantity(self.limit)',
    ),
    good: { request: '100m', limit: '1', requests: { cpu: 1, memory: '1Gi' } },
    bad: { request: '2', limit: '1' },
  },
  {
    project: 'Kyverno: nested patterns',
    spec: object(
      {
        rules: list(
          object({
            any: list(object({ resources: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } })),
          }),
        ),
        expression: text(),
        template: text(),
      },
      exactlyOne('expression', 'template'),
    ),
    good: { expression: 'a', rules: [{ any: [{ resources: { kinds: ['Pod'] } }] }] },
    bad: { expression: 'a', template: 'b' },
  },
  {
    project: 'Longhorn: sizes and ages',
    spec: object({
      retainAge: { ...text(), ...ruled(["!self.startsWith('-')"]) },
      size: { type: 'integer', format: 'int64' },
    }),
    good: { retainAge: '1h', size: 9007199254740991 },
    bad: { retainAge: '-1h' },
  },
  {
    project: 'MetalLB: times in text',
    spec: object({
      connectTime: {
        ...text(),
        ...ruled([
          'duration(self).getSeconds() >= 1 && duration(self).getSeconds() <= 65535',
          'duration(self).getMilliseconds() % 1000 == 0',
        ]),
      },
    }),
    good: { connectTime: '10s' },
    bad: { connectTime: '1500ms' },
  },
  {
    project: 'OpenTelemetry: modes',
    spec: object(
      { mode: { type: 'string', enum: ['sidecar', 'deployment'] }, tolerations: list(object({ key: text() })) },
      "!(self.mode == 'sidecar' && size(self.tolerations) > 0) || !has(self.tolerations)",
    ),
    good: { mode: 'sidecar', tolerations: [] },
    bad: { mode: 'sidecar', tolerations: [{ key: 'a' }] },
  },
  {
    project: 'Prometheus: embedded containers',
    spec: object(
      {
        containers: {
          ...list({
            ...object({
              name: text(),
              ports: list(object({ containerPort: integer, protocol: { type: 'string', default: 'TCP' } })),
            }),
            required: ['name'],
          }),
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
        },
        mode: text(),
      },
      "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.containers))",
    ),
    good: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] },
    bad: { containers: [{ name: 'a' }, { name: 'a' }] },
  },
  {
    project: 'RabbitMQ: long configuration',
    spec: object({ envConfig: { ...text(100_000), ...ruled(["!self.contains('$(') && !self.contains('`')"]) } }),
    good: { envConfig: 'A=b' },
    bad: { envConfig: '$(rm)' },
  },
  {
    project: 'Rook: warnings as keys',
    spec: object({
      muteHealthWarning: map(object({ ttl: text() }), 10, "self.all(k, k.matches('^[A-Z]+(_[A-Z]+)+$'))"),
    }),
    good: { muteHealthWarning: { MON_DOWN: {} } },
    bad: { muteHealthWarning: { down: {} } },
  },
  {
    project: 'Strimzi: oneOf and days',
    spec: object({
      authentication: object(
        { type: text(), renewalDays: integer, validityDays: integer },
        "self.type != 'tls' || !has(self.renewalDays) || !has(self.validityDays) || self.renewalDays < self.validityDays",
      ),
      listener: { ...object({ name: { ...text(), pattern: '^[a-z0-9]{1,11}$' } }), oneOf: [{ required: ['name'] }] },
    }),
    good: { authentication: { type: 'tls', renewalDays: 1, validityDays: 2 }, listener: { name: 'plain' } },
    bad: { authentication: { type: 'tls', renewalDays: 2, validityDays: 2 } },
  },
];
