/** Situations of single kinds that random fields rarely make: conversions, refusals, states that tables show. */
import type { Area, AreaOptions, Conversation, Step } from '../conversation.ts';
import { CRD, CRDS } from '../custom-resources.ts';
import { Random } from '../random.ts';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
const CORE = '/api/v1/namespaces/$NS';

export const situations: Area = { weight: 5, conversations };

const SITUATIONS = [
  autoscalers,
  deviceClaims,
  attachments,
  resizes,
  nodeTables,
  podTables,
  workloadTables,
  customScale,
  tightenedSchema,
  terminatingDefinition,
  lists,
];

function* conversations({ seed, kinds }: AreaOptions): Generator<Conversation> {
  if (kinds.length > 0) return;
  for (let round = 0; ; round++) {
    const random = new Random(`${seed}/${round}`);
    for (const situation of random.shuffled(SITUATIONS)) yield situation(random);
  }
}

const some = (random: Random, fields: object, probability = 0.5): object =>
  Object.fromEntries(random.some(Object.entries(fields), probability));

function autoscalers(random: Random): Conversation {
  const group = (version: string): string => `/apis/autoscaling/${version}/namespaces/$NS/horizontalpodautoscalers`;
  const scaleTargetRef = { kind: 'Deployment', name: 'd', ...some(random, { apiVersion: 'apps/v1' }) };
  const value = (): object =>
    random.pick([
      { type: 'Utilization', averageUtilization: random.pick([1, 50, 80, 200, 0]) },
      { type: 'AverageValue', averageValue: random.pick(['100m', '1Gi', '2']) },
      { type: 'Value', value: '10' },
    ]);
  const metric = { name: 'm', ...some(random, { selector: { matchLabels: { a: 'b' } } }) };
  const metrics = (): object[] =>
    random.some(
      [
        { type: 'Resource', resource: { name: 'cpu', target: value() } },
        { type: 'Resource', resource: { name: 'memory', target: value() } },
        { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: value() } },
        { type: 'Pods', pods: { metric, target: value() } },
        {
          type: 'Object',
          object: { metric, describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' }, target: value() },
        },
        { type: 'External', external: { metric, target: value() } },
      ],
      0.4,
    );
  const policy = { type: random.pick(['Pods', 'Percent', 'Nope']), value: random.pick([1, 50, 0]), periodSeconds: 60 };
  const behavior = {
    scaleUp: some(random, {
      stabilizationWindowSeconds: random.pick([0, 60, 3600, 3601]),
      selectPolicy: random.pick(['Max', 'Min', 'Disabled', 'Nope']),
      policies: [policy],
      tolerance: random.pick(['0', '0.1', '-1']),
    }),
  };
  const v2 = {
    metadata: { name: 'two' },
    spec: { scaleTargetRef, maxReplicas: 5, ...some(random, { minReplicas: 2, metrics: metrics(), behavior }) },
  };
  const v1 = {
    metadata: {
      name: 'one',
      annotations: some(
        random,
        {
          'autoscaling.alpha.kubernetes.io/metrics': random.pick([
            '[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":5}}]',
            '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"1"}}]',
            '[]',
            'broken',
          ]),
          'autoscaling.alpha.kubernetes.io/behavior': random.pick([
            '{"ScaleUp":{"StabilizationWindowSeconds":5}}',
            '{"scaleUp":{"stabilizationWindowSeconds":5}}',
            '{',
          ]),
          'autoscaling.alpha.kubernetes.io/conditions': '[{"type":"AbleToScale","status":"True"}]',
          'autoscaling.alpha.kubernetes.io/current-metrics': random.pick(['[]', 'x']),
          other: 'kept',
        },
        0.4,
      ),
    },
    spec: { scaleTargetRef, maxReplicas: 5, ...some(random, { targetCPUUtilizationPercentage: 60, minReplicas: 1 }) },
  };
  const current = (version: string): Step[] =>
    ['one', 'two'].map((name) => ({ method: 'GET', path: `${group(version)}/${name}` }));
  const status = {
    currentReplicas: 1,
    desiredReplicas: 2,
    ...some(random, {
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '5m' } } },
        { type: 'External', external: { metric, current: { value: '3' } } },
      ],
      conditions: [{ type: 'AbleToScale', status: 'True', reason: 'R', message: 'm' }],
      lastScaleTime: '2020-01-02T03:04:05Z',
    }),
  };
  return {
    topic: 'autoscalers',
    namespace: true,
    steps: [
      { method: 'POST', path: group('v1'), body: v1 },
      { method: 'POST', path: group('v2'), body: v2 },
      ...current('v1'),
      ...current('v2'),
      { method: 'PATCH', path: `${group('v2')}/two/status`, body: { status }, headers: MERGE },
      ...current('v1'),
      { method: 'PATCH', path: `${group('v1')}/two`, body: { spec: { maxReplicas: 9 } }, headers: STRATEGIC },
      { method: 'PATCH', path: `${group('v2')}/one`, body: { spec: { metrics: metrics() } }, headers: MERGE },
      {
        method: 'PATCH',
        path: `${group('v1')}/two?fieldManager=m&force=true`,
        body: { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', ...v1, metadata: { name: 'two' } },
        headers: APPLY,
      },
      { method: 'GET', path: group('v2'), headers: TABLE },
      { method: 'GET', path: group('v1'), headers: TABLE },
      ...current('v2'),
    ],
  };
}

function deviceClaims(random: Random): Conversation {
  const group = '/apis/resource.k8s.io/v1/namespaces/$NS';
  const label = { 'resource.kubernetes.io/admin-access': random.pick(['true', 'false', 'True']) };
  const exactly = (): object => ({
    deviceClassName: 'c',
    ...some(random, { adminAccess: random.chance(0.7), allocationMode: 'All' }),
  });
  const requests = (): object[] => [
    { name: 'r', exactly: exactly() },
    ...random.some([{ name: 's', firstAvailable: [{ name: 'a', deviceClassName: 'c' }] }], 0.4),
  ];
  const devices = (): object => ({
    requests: requests(),
    ...some(random, {
      constraints: [{ requests: [random.pick(['r', 's/a', 's', 'nope'])], matchAttribute: 'example.com/a' }],
      config: [{ opaque: { driver: 'example.com', parameters: { a: 1 } }, requests: ['r'] }],
    }),
  });
  const result = (): object => ({
    request: random.pick(['r', 's/a', 'nope']),
    driver: 'example.com',
    pool: 'p',
    device: 'd',
    ...some(random, { adminAccess: random.chance(0.7), shareID: 'x', consumedCapacity: { a: '1' } }),
  });
  const allocation = {
    devices: { results: [result()] },
    ...some(random, { nodeSelector: { nodeSelectorTerms: [{}] } }),
  };
  const reservedFor = [{ resource: 'pods', name: 'p', uid: 'u' }];
  const status = (): object => some(random, { allocation, reservedFor, devices: [deviceStatus(random)] }, 0.7);
  return {
    topic: 'devices',
    namespace: true,
    steps: [
      {
        method: 'POST',
        path: `${group}/resourceclaims?dryRun=All`,
        body: { metadata: { name: 'c' }, spec: { devices: devices() } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/$NS',
        body: { metadata: { labels: label } },
        headers: MERGE,
        setup: true,
      },
      {
        method: 'POST',
        path: `${group}/resourceclaims?dryRun=All`,
        body: { metadata: { name: 'd' }, spec: { devices: devices() } },
        pauseMs: 50,
      },
      {
        method: 'POST',
        path: `${group}/resourceclaimtemplates`,
        body: { metadata: { name: 't' }, spec: { spec: { devices: devices() } } },
      },
      {
        method: 'POST',
        path: `${group}/resourceclaims`,
        body: {
          metadata: { name: 'e' },
          spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
        },
      },
      ...[1, 2, 3].map((): Step => ({
        method: 'PATCH',
        path: `${group}/resourceclaims/e/status`,
        body: { status: status() },
        headers: MERGE,
      })),
      {
        method: 'PATCH',
        path: `${group}/resourceclaims/e/status`,
        body: { status: { allocation: null, reservedFor: null } },
        headers: MERGE,
      },
      {
        method: 'PUT',
        path: `${group}/resourceclaims/e`,
        body: { metadata: { name: 'e' }, spec: { devices: devices() } },
      },
      { method: 'GET', path: `${group}/resourceclaims`, headers: TABLE },
    ],
  };
}

const deviceStatus = (random: Random): object => ({
  driver: 'example.com',
  pool: 'p',
  device: 'd',
  ...some(random, {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2020-01-02T03:04:05Z' },
    ],
    data: { a: 1 },
    networkData: { interfaceName: 'eth0', ips: [random.pick(['10.1.2.3/8', '10.0.0.0/8', 'x'])] },
  }),
});

function attachments(random: Random): Conversation {
  const path = '/apis/storage.k8s.io/v1/volumeattachments';
  const inline = (): object => ({
    ...some(random, {
      csi: { driver: 'example.com', volumeHandle: 'v', ...some(random, { fsType: 'ext4', readOnly: true }) },
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: { name: 'c', namespace: 'default' },
      persistentVolumeReclaimPolicy: random.pick(['Retain', 'Delete']),
      volumeMode: random.pick(['Filesystem', 'Block']),
      mountOptions: ['ro'],
      storageClassName: 's',
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
      hostPath: { path: '/x' },
    }),
  });
  const source = (): object => some(random, { inlineVolumeSpec: inline(), persistentVolumeName: 'v' }, 0.6);
  const body = (name: string): object => ({
    metadata: { name },
    spec: {
      attacher: random.pick(['example.com', '', 'bad name']),
      nodeName: random.pick(['n', '']),
      source: source(),
    },
  });
  return {
    topic: 'attachments',
    namespace: false,
    steps: [
      ...[1, 2, 3, 4, 5].map((): Step => ({ method: 'POST', path: `${path}?dryRun=All`, body: body('a-$RUN') })),
      {
        method: 'POST',
        path,
        body: {
          metadata: { name: 'b-$RUN' },
          spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
        },
      },
      { method: 'PATCH', path: `${path}/b-$RUN`, body: { spec: { source: source() } }, headers: MERGE },
      {
        method: 'PATCH',
        path: `${path}/b-$RUN/status`,
        body: {
          status: {
            attached: true,
            ...some(random, {
              attachmentMetadata: { a: 'b' },
              attachError: { message: 'm', time: '2020-01-02T03:04:05Z', errorCode: random.pick([8, -1]) },
            }),
          },
        },
        headers: MERGE,
      },
      { method: 'GET', path: `${path}?fieldSelector=metadata.name%3Db-$RUN`, headers: TABLE },
    ],
    cleanup: [{ method: 'DELETE', path: `${path}/b-$RUN` }],
  };
}

function resizes(random: Random): Conversation {
  const amounts = (): object =>
    some(random, { cpu: random.pick(['1', '2', '500m']), memory: random.pick(['1Gi', '2Gi']) }, 0.8);
  const resources = (): object => ({
    ...some(random, { requests: amounts(), limits: amounts() }, 0.8),
    ...(random.chance(0.1) ? { requests: { 'example.com/x': '1' }, limits: { 'example.com/x': '1' } } : {}),
  });
  const policies = (): object =>
    some(
      random,
      { resizePolicy: [{ resourceName: 'cpu', restartPolicy: random.pick(['NotRequired', 'RestartContainer']) }] },
      0.3,
    );
  const pod = {
    metadata: { name: 'p' },
    spec: {
      schedulerName: 'nobody',
      containers: [
        { name: 'a', image: 'registry.test/c', resources: resources(), ...policies() },
        { name: 'b', image: 'registry.test/c', resources: resources() },
      ],
      ...some(
        random,
        {
          initContainers: [
            {
              name: 'i',
              image: 'registry.test/c',
              resources: resources(),
              ...some(random, { restartPolicy: 'Always' }),
            },
          ],
          resources: { requests: { cpu: '4', memory: '8Gi' }, limits: { cpu: '4', memory: '8Gi' } },
          os: { name: random.pick(['linux', 'windows']) },
          restartPolicy: 'Never',
        },
        0.3,
      ),
    },
  };
  const change = (): Step => {
    const containers = random.pick([
      [{ name: 'a', resources: resources() }],
      [
        { name: 'a', resources: resources() },
        { name: 'b', resources: resources(), image: 'other' },
      ],
      [{ name: 'c', image: 'registry.test/c', resources: resources() }],
    ]);
    const spec = {
      containers,
      ...some(
        random,
        {
          resources: { requests: amounts(), limits: amounts() },
          initContainers: [{ name: 'i', resources: resources(), ...policies() }],
          nodeName: 'n',
        },
        0.3,
      ),
    };
    return {
      method: 'PATCH',
      path: `${CORE}/pods/p/resize`,
      body: { spec },
      headers: random.pick([STRATEGIC, STRATEGIC, MERGE]),
      about: 'resize',
    };
  };
  const running = {
    containerStatuses: [
      {
        name: 'a',
        image: 'i',
        imageID: '',
        ready: true,
        restartCount: 0,
        state: { running: {} },
        ...some(random, { resources: resources() }),
      },
    ],
  };
  return {
    topic: 'resizes',
    namespace: true,
    steps: [
      { method: 'POST', path: `${CORE}/pods`, body: pod },
      change(),
      change(),
      { method: 'PATCH', path: `${CORE}/pods/p/status`, body: { status: some(random, running) }, headers: MERGE },
      change(),
      change(),
      {
        method: 'PATCH',
        path: `${CORE}/pods/p`,
        body: { spec: { containers: [{ name: 'a', resources: resources() }] } },
        headers: STRATEGIC,
      },
      { method: 'GET', path: `${CORE}/pods/p` },
    ],
  };
}

function nodeTables(random: Random): Conversation {
  const path = '/api/v1/nodes';
  const labels = some(random, {
    'node-role.kubernetes.io/worker': '',
    'node-role.kubernetes.io/control-plane': 'x',
    'kubernetes.io/role': 'old',
    'node-role.kubernetes.io/': 'y',
  });
  const addresses = random.some(
    [
      { type: 'InternalIP', address: '10.1.2.3' },
      { type: 'InternalIP', address: 'fd00::1' },
      { type: 'ExternalIP', address: '192.0.2.1' },
      { type: 'Hostname', address: 'h' },
    ],
    0.6,
  );
  const condition = (type: string): object => ({
    type,
    status: random.pick(['True', 'False', 'Unknown']),
    lastHeartbeatTime: '2020-01-02T03:04:05Z',
  });
  const status = {
    addresses,
    ...some(random, {
      conditions: random.some(['Ready', 'MemoryPressure', 'DiskPressure'], 0.6).map(condition),
      nodeInfo: {
        kubeletVersion: 'v1.36.4',
        osImage: 'OS 1',
        kernelVersion: '6.1',
        containerRuntimeVersion: 'cri://1',
        architecture: 'amd64',
        operatingSystem: 'linux',
        bootID: '',
        machineID: '',
        systemUUID: '',
        kubeProxyVersion: '',
      },
    }),
  };
  return {
    topic: 'nodes',
    namespace: false,
    steps: [
      {
        method: 'POST',
        path,
        body: {
          metadata: { name: 'n-$RUN', labels: { ...labels, own: '$RUN' } },
          spec: some(random, { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] }),
        },
      },
      { method: 'PATCH', path: `${path}/n-$RUN/status`, body: { status }, headers: STRATEGIC },
      { method: 'GET', path: `${path}?labelSelector=own%3D$RUN`, headers: TABLE },
      { method: 'GET', path: `${path}/n-$RUN`, headers: TABLE },
    ],
    cleanup: [{ method: 'DELETE', path: `${path}/n-$RUN` }],
  };
}

function podTables(random: Random): Conversation {
  const state = (): object =>
    random.pick([
      { running: { startedAt: '2020-01-02T03:04:05Z' } },
      { waiting: { reason: random.pick(['ContainerCreating', 'CrashLoopBackOff', 'PodInitializing', '']) } },
      {
        terminated: {
          exitCode: random.pick([0, 1, 137]),
          ...some(random, { reason: 'Error', signal: 9, finishedAt: '2020-01-02T03:04:05Z' }),
        },
      },
      {},
    ]);
  const container = (name: string): object => ({
    name,
    image: 'i',
    imageID: '',
    ready: random.chance(0.5),
    restartCount: random.pick([0, 0, 3]),
    state: state(),
    ...some(random, {
      started: random.chance(0.5),
      lastState: { terminated: { exitCode: 1, finishedAt: '2020-01-02T03:04:05Z' } },
    }),
  });
  const status = {
    phase: random.pick(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']),
    containerStatuses: [container('a'), container('b')],
    ...some(random, {
      reason: random.pick(['Evicted', 'NodeLost', 'X']),
      initContainerStatuses: [container('i'), container('s')],
      podIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::1' }],
      podIP: '10.1.2.3',
      nominatedNodeName: 'n',
      conditions: random.some(['Ready', 'PodScheduled', 'Initialized', 'example.com/g'], 0.6).map((type) => ({
        type,
        status: random.pick(['True', 'False']),
        ...some(random, { reason: random.pick(['SchedulingGated', 'Unschedulable']) }),
      })),
    }),
  };
  const pod = {
    metadata: { name: 'p', ...some(random, { finalizers: ['example.com/f'] }, 0.4) },
    spec: {
      schedulerName: 'nobody',
      containers: [
        { name: 'a', image: 'registry.test/a' },
        { name: 'b', image: 'registry.test/b' },
      ],
      ...some(random, {
        nodeName: 'n',
        initContainers: [
          { name: 'i', image: 'registry.test/i' },
          { name: 's', image: 'registry.test/s', restartPolicy: 'Always' },
        ],
        readinessGates: [{ conditionType: 'example.com/g' }],
      }),
    },
  };
  return {
    topic: 'pods',
    namespace: true,
    steps: [
      { method: 'POST', path: `${CORE}/pods`, body: pod, headers: TABLE },
      { method: 'PATCH', path: `${CORE}/pods/p/status`, body: { status }, headers: { ...MERGE, ...TABLE } },
      { method: 'GET', path: `${CORE}/pods`, headers: TABLE },
      { method: 'DELETE', path: `${CORE}/pods/p`, headers: TABLE },
      { method: 'GET', path: `${CORE}/pods`, headers: TABLE },
    ],
  };
}

/** Kinds whose cells come from a spec and a status that go together. */
function workloadTables(random: Random): Conversation {
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: {
      containers: [
        { name: 'c', image: 'registry.test/c' },
        { name: 'd', image: 'registry.test/d' },
      ],
    },
  };
  const selector = { matchLabels: { app: 'a' } };
  const number = (): number => random.pick([0, 1, 2, 5]);
  const job = {
    metadata: { name: 'x' },
    spec: {
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
      ...some(random, { completions: 3, parallelism: 2, suspend: true }),
    },
  };
  const made: readonly (readonly [string, object, object])[] = [
    [
      '/apis/apps/v1/namespaces/$NS/deployments',
      { metadata: { name: 'x' }, spec: { selector, template, replicas: number() } },
      { replicas: 5, readyReplicas: number(), updatedReplicas: number(), availableReplicas: number() },
    ],
    [
      '/apis/apps/v1/namespaces/$NS/statefulsets',
      { metadata: { name: 'x' }, spec: { selector, template, serviceName: 's', replicas: number() } },
      { replicas: 5, readyReplicas: number() },
    ],
    [
      '/apis/apps/v1/namespaces/$NS/daemonsets',
      {
        metadata: { name: 'x' },
        spec: { selector, template: { ...template, spec: { ...template.spec, nodeSelector: { a: 'b', c: 'd' } } } },
      },
      {
        desiredNumberScheduled: number(),
        currentNumberScheduled: number(),
        numberReady: number(),
        numberMisscheduled: 0,
        numberAvailable: number(),
      },
    ],
    [
      '/apis/batch/v1/namespaces/$NS/jobs',
      job,
      {
        startTime: '2020-01-02T03:04:05Z',
        ...some(random, { active: number(), succeeded: number(), failed: number() }),
      },
    ],
    [
      '/apis/batch/v1/namespaces/$NS/cronjobs',
      {
        metadata: { name: 'x' },
        spec: {
          schedule: '*/5 * * * *',
          jobTemplate: { spec: job.spec },
          ...some(random, { timeZone: 'Etc/UTC', suspend: true }),
        },
      },
      some(random, { lastScheduleTime: '2020-01-02T03:04:05Z', active: [{ name: 'j' }] }),
    ],
    [
      '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets',
      { metadata: { name: 'x' }, spec: random.pick([{ minAvailable: 1 }, { maxUnavailable: '50%' }, {}]) },
      { disruptionsAllowed: number(), currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    ],
    [
      '/apis/networking.k8s.io/v1/namespaces/$NS/ingresses',
      {
        metadata: { name: 'x' },
        spec: {
          ingressClassName: 'c',
          rules: random.some(
            [
              { host: 'a.example.com' },
              { host: 'b.example.com' },
              { host: '*.example.com' },
              { host: 'c.example.com' },
            ],
            0.8,
          ),
          defaultBackend: { service: { name: 's', port: { number: 80 } } },
          ...some(random, { tls: [{ hosts: ['a.example.com'] }] }),
        },
      },
      { loadBalancer: { ingress: [random.pick([{ ip: '10.1.2.3' }, { hostname: 'h.example.com' }])] } },
    ],
    [
      `${CORE}/services`,
      {
        metadata: { name: 'x' },
        spec: {
          type: random.pick(['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName']),
          externalName: 'e.example.com',
          ports: [
            { port: 80, name: 'a' },
            { port: 53, protocol: 'UDP', name: 'b' },
          ],
          ...some(random, { selector: { a: 'b' }, externalIPs: ['192.0.2.9'] }),
        },
      },
      { loadBalancer: some(random, { ingress: [{ ip: '10.9.9.9' }, { ip: '10.9.9.8' }] }) },
    ],
    [
      `${CORE}/persistentvolumeclaims`,
      {
        metadata: { name: 'x' },
        spec: {
          accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
          resources: { requests: { storage: '1Gi' } },
          ...some(random, {
            storageClassName: 's',
            volumeName: 'v',
            volumeMode: 'Block',
            volumeAttributesClassName: 'a',
          }),
        },
      },
      { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteMany'] },
    ],
    [
      `${CORE}/replicationcontrollers`,
      { metadata: { name: 'x' }, spec: { selector: { app: 'a' }, template, replicas: 2 } },
      { replicas: 2, readyReplicas: number() },
    ],
  ];
  const chosen = random.shuffled(made).slice(0, 4);
  return {
    topic: 'workloads',
    namespace: true,
    steps: chosen.flatMap(([path, body, status]): Step[] => [
      { method: 'POST', path, body },
      { method: 'PATCH', path: `${path}/x/status`, body: { status }, headers: { ...MERGE, ...TABLE } },
      { method: 'GET', path, headers: TABLE },
    ]),
  };
}

const definition = (properties: object, more: object = {}): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.$RUN.example.com' },
  spec: {
    group: '$RUN.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing', shortNames: ['th$RUN'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties } },
        ...more,
      },
    ],
  },
});
const THINGS = '/apis/$RUN.example.com/v1/namespaces/$NS/things';
const served: Step = { method: 'GET', path: THINGS, setup: true, until: 200 };
const removed: Step[] = [{ method: 'DELETE', path: CRD }];
const thing = (spec: object, more: object = {}): object => ({
  apiVersion: '$RUN.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'x' },
  spec,
  ...more,
});

function customScale(random: Random): Conversation {
  const integer = { type: 'integer' };
  const properties = {
    spec: {
      type: 'object',
      properties: { replicas: { ...integer, ...some(random, { default: 1, maximum: 5 }, 0.3) } },
    },
    status: { type: 'object', properties: { replicas: integer, selector: { type: 'string' } } },
  };
  const scale = {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    ...some(random, { labelSelectorPath: '.status.selector' }),
  };
  const applied = (replicas: unknown, manager: string, more = ''): Step => ({
    method: 'PATCH',
    path: `${THINGS}/x/scale?fieldManager=${manager}${more}`,
    body: {
      apiVersion: random.pick(['autoscaling/v1', 'autoscaling/v1', 'v1']),
      kind: random.pick(['Scale', 'Scale', 'Scale', 'Thing']),
      metadata: { name: 'x', ...some(random, { namespace: '$NS' }) },
      spec: { replicas },
    },
    headers: APPLY,
  });
  const some3 = (): unknown => random.pick([1, 2, 3, 7, 0, -1, 'x', null, 2147483648]);
  return {
    topic: 'scale',
    namespace: true,
    steps: [
      {
        method: 'POST',
        path: CRDS,
        body: definition(properties, { subresources: { scale, ...some(random, { status: {} }) } }),
        setup: true,
      },
      served,
      {
        method: 'PATCH',
        path: `${THINGS}/x?fieldManager=a`,
        body: thing(some(random, { replicas: 1 })),
        headers: APPLY,
      },
      applied(2, 'b'),
      applied(some3(), 'b', '&force=true'),
      applied(some3(), 'c'),
      applied(some3(), 'c', '&force=true'),
      { method: 'PATCH', path: `${THINGS}/x?fieldManager=a`, body: thing({ replicas: 4 }), headers: APPLY },
      { method: 'PATCH', path: `${THINGS}/x/scale`, body: { spec: { replicas: some3() } }, headers: MERGE },
      { method: 'PUT', path: `${THINGS}/x/scale`, body: { metadata: { name: 'x' }, spec: { replicas: 3 } } },
      {
        method: 'PATCH',
        path: `${THINGS}/x/status`,
        body: { status: { replicas: 2, selector: random.pick(['a=b', '!', 'a in (b)']) } },
        headers: MERGE,
      },
      { method: 'GET', path: `${THINGS}/x/scale` },
      { method: 'GET', path: `${THINGS}/x` },
    ],
    cleanup: removed,
  };
}

/** An object that was valid stays, and may be changed elsewhere. */
function tightenedSchema(random: Random): Conversation {
  const text = (more: object = {}): object => ({ type: 'string', ...more });
  const loose = {
    spec: {
      type: 'object',
      properties: {
        color: text(),
        size: { type: 'integer' },
        tags: { type: 'array', items: text(), 'x-kubernetes-list-type': random.pick(['set', 'atomic']) },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text(), kind: text() } },
        },
      },
    },
  };
  const kinds = { type: 'object', required: ['name'], properties: { name: text(), kind: text({ enum: ['k'] }) } };
  const tight = {
    spec: {
      type: 'object',
      properties: {
        color: text(
          some(random, {
            maxLength: 3,
            enum: ['red'],
            pattern: '^r',
            'x-kubernetes-validations': [{ rule: 'self == "red"', message: 'must be red' }],
          }),
        ),
        size: { type: 'integer', ...some(random, { maximum: 3, minimum: 1 }) },
        tags: {
          ...(loose.spec.properties.tags as object),
          items: text({ maxLength: 2 }),
          ...some(random, { maxItems: 1 }),
        },
        parts: { ...(loose.spec.properties.parts as object), items: kinds },
      },
      ...some(random, { required: ['more'], 'x-kubernetes-validations': [{ rule: 'self.size < 3' }] }, 0.3),
    },
  };
  const spec = {
    color: 'green',
    size: 9,
    tags: ['long', 'longer'],
    parts: [
      { name: 'a', kind: 'x' },
      { name: 'b', kind: 'k' },
    ],
  };
  const change = (): object =>
    random.pick<object>([
      { metadata: { labels: { a: random.word() } } },
      { spec: { size: 10 } },
      { spec: { color: 'blue' } },
      { spec: { tags: ['long', 'longer', 'x'] } },
      { spec: { tags: ['other'] } },
      {
        spec: {
          parts: [
            { name: 'a', kind: 'x' },
            { name: 'c', kind: 'k' },
          ],
        },
      },
      { spec: { parts: [{ name: 'a', kind: 'y' }] } },
      { spec: { nope: 1 } },
    ]);
  return {
    topic: 'tightened',
    namespace: true,
    steps: [
      { method: 'POST', path: CRDS, body: definition(loose), setup: true },
      served,
      { method: 'POST', path: THINGS, body: thing(spec) },
      {
        method: 'PATCH',
        path: CRD,
        body: { spec: (definition(tight) as { spec: object }).spec },
        headers: MERGE,
        pauseMs: 1500,
      },
      ...Array.from({ length: 6 }, (): Step => ({
        method: 'PATCH',
        path: `${THINGS}/x?fieldValidation=${random.pick(['Strict', 'Warn', 'Ignore'])}`,
        body: change(),
        headers: MERGE,
      })),
      { method: 'PUT', path: `${THINGS}/x/status`, body: thing(spec) },
      { method: 'GET', path: `${THINGS}/x` },
    ],
    cleanup: removed,
  };
}

function terminatingDefinition(random: Random): Conversation {
  const held = { metadata: { name: 'x', finalizers: ['example.com/f'] } };
  const group = '/apis/$RUN.example.com';
  const look: Step[] = [
    { method: 'GET', path: group },
    { method: 'GET', path: `${group}/v1` },
    { method: 'GET', path: THINGS },
    { method: 'GET', path: `${THINGS}/x` },
    { method: 'POST', path: THINGS, body: thing({}, { metadata: { name: 'y' } }) },
    { method: 'PATCH', path: `${THINGS}/x`, body: { metadata: { labels: { a: 'b' } } }, headers: MERGE },
    { method: 'DELETE', path: `${THINGS}/x` },
    { method: 'DELETE', path: THINGS },
  ];
  return {
    topic: 'terminating',
    namespace: true,
    steps: [
      { method: 'POST', path: CRDS, body: definition({}, some(random, { subresources: { status: {} } })), setup: true },
      served,
      { method: 'GET', path: group, setup: true, until: 200 },
      { method: 'POST', path: THINGS, body: thing({}, held) },
      { method: 'DELETE', path: CRD, pauseMs: 2500, only: () => 'deleted' },
      ...look,
      { method: 'PATCH', path: `${THINGS}/x`, body: { metadata: { finalizers: null } }, headers: MERGE, pauseMs: 500 },
    ],
    cleanup: [
      { method: 'PATCH', path: `${THINGS}/x`, body: { metadata: { finalizers: null } }, headers: MERGE },
      ...removed,
    ],
  };
}

/** Lists whose elements cannot change, or only some of them. */
function lists(random: Random): Conversation {
  const claim = {
    metadata: { name: 'd' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const set = (claims: object[], more: object = {}): object => ({
    metadata: { name: 's' },
    spec: {
      serviceName: 's',
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'registry.test/c' }] } },
      volumeClaimTemplates: claims,
      ...more,
    },
  });
  const sets = '/apis/apps/v1/namespaces/$NS/statefulsets';
  const service = (spec: object): object => ({ metadata: { name: 'v' }, spec: { ports: [{ port: 80 }], ...spec } });
  return {
    topic: 'lists',
    namespace: true,
    steps: [
      { method: 'POST', path: sets, body: set([claim]) },
      { method: 'PUT', path: `${sets}/s`, body: set([claim, { ...claim, metadata: { name: 'e' } }]) },
      {
        method: 'PUT',
        path: `${sets}/s`,
        body: set(
          [{ ...claim, spec: { ...claim.spec, accessModes: ['ReadOnlyMany'] } }],
          some(random, { podManagementPolicy: 'Parallel', ordinals: { start: 1 } }),
        ),
      },
      {
        method: 'POST',
        path: `${CORE}/services`,
        body: service({
          clusterIP: 'None',
          ...some(random, {
            ipFamilies: ['IPv4'],
            ipFamilyPolicy: random.pick(['SingleStack', 'PreferDualStack', 'RequireDualStack']),
          }),
        }),
      },
      {
        method: 'PATCH',
        path: `${CORE}/services/v`,
        body: {
          spec: random.pick([
            { clusterIPs: ['10.0.0.9'] },
            { ipFamilies: ['IPv6'] },
            { clusterIPs: [] },
            { ipFamilies: ['IPv4', 'IPv6'] },
          ]),
        },
        headers: MERGE,
      },
      {
        method: 'POST',
        path: `${CORE}/pods`,
        body: {
          metadata: { name: 'p' },
          spec: {
            schedulerName: 'nobody',
            containers: [{ name: 'c', image: 'registry.test/c' }],
            tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
            schedulingGates: [{ name: 'example.com/g' }, { name: 'example.com/h' }],
          },
        },
      },
      {
        method: 'PATCH',
        path: `${CORE}/pods/p`,
        body: {
          spec: {
            tolerations: random.pick([
              [],
              [{ key: 'b', operator: 'Exists' }],
              [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: random.pick([3, 9]) }],
            ]),
          },
        },
        headers: MERGE,
      },
      {
        method: 'PATCH',
        path: `${CORE}/pods/p`,
        body: {
          spec: { schedulingGates: random.pick([[{ name: 'example.com/g' }], [{ name: 'example.com/n' }], []]) },
        },
        headers: MERGE,
      },
      {
        method: 'PATCH',
        path: `${CORE}/pods/p`,
        body: {
          spec: {
            nodeSelector: { a: 'b' },
            ...some(random, {
              topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule' }],
            }),
          },
        },
        headers: MERGE,
      },
      {
        method: 'PATCH',
        path: `${CORE}/pods/p/ephemeralcontainers`,
        body: {
          spec: {
            ephemeralContainers: [
              { name: 'e', image: 'i', ...some(random, { lifecycle: {}, ports: [], targetContainerName: 'c' }) },
            ],
          },
        },
        headers: STRATEGIC,
      },
      {
        method: 'PATCH',
        path: `${CORE}/pods/p/ephemeralcontainers`,
        body: {
          spec: {
            ephemeralContainers: random.pick([
              [],
              [{ name: 'e', image: 'j' }],
              [
                { name: 'e', image: 'i' },
                { name: 'f', image: 'i' },
              ],
            ]),
          },
        },
        headers: random.pick([MERGE, STRATEGIC]),
      },
    ],
  };
}
