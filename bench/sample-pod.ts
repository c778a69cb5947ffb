/** A Pod as a cluster holds it: scheduled, running, with its managers, about 3.5 KB of JSON. */
export function samplePod(): Record<string, unknown> {
  const container = (name: string, port: number) => ({
    name,
    image: `registry.example/shop/${name}:1.27.3`,
    args: ['--listen', `0.0.0.0:${port}`, '--log-level=info'],
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'shop-database', key: 'url' } } },
    ],
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'kube-api-access-7x2kq', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ],
    readinessProbe: {
      httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  });
  const condition = (type: string) => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2026-03-01T10:20:31Z',
  });
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name: 'shop-6d5f9c7b8-x2x7k',
      generateName: 'shop-6d5f9c7b8-',
      namespace: 'shop',
      uid: 'c7f1fd5c-2f0c-4a5e-9b7e-3c1b0d6a7e11',
      resourceVersion: '184467',
      generation: 1,
      creationTimestamp: '2026-03-01T10:20:30Z',
      labels: { app: 'shop', 'app.kubernetes.io/part-of': 'store', 'pod-template-hash': '6d5f9c7b8' },
      annotations: { 'prometheus.io/port': '8080', 'prometheus.io/scrape': 'true' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'shop-6d5f9c7b8',
          uid: '0f8f8a5e-55ab-4c0f-8c63-0c6f1d4d9b21',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        {
          manager: 'kube-controller-manager',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2026-03-01T10:20:30Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:generateName': {}, 'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} } },
            'f:spec': {
              'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
              'f:restartPolicy': {},
            },
          },
        },
      ],
    },
    spec: {
      volumes: [
        {
          name: 'kube-api-access-7x2kq',
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
              { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      containers: [container('web', 8080)],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      nodeName: 'node-a',
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
      hostIP: '10.0.0.4',
      podIP: '10.244.0.17',
      podIPs: [{ ip: '10.244.0.17' }],
      startTime: '2026-03-01T10:20:30Z',
      containerStatuses: [
        {
          name: 'web',
          state: { running: { startedAt: '2026-03-01T10:20:31Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'registry.example/shop/web:1.27.3',
          imageID: 'sha256:4b5f0a7e9c5d3f1e2d6c8b7a9f0e1d2c3b4a5f6e7d8c9b0a1f2e3d4c5b6a7f8e',
          started: true,
        },
      ],
      qosClass: 'Burstable',
    },
  };
}
