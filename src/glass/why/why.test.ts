/** Each situation is made in a cluster, and the answer names its cause. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerText, Cluster, type Answer, type Cause, type Explanation, type Manifest } from '../../index.ts';
import { why } from '../index.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start({
    nodes: 2,
    clock: 'virtual',
    seed: 1,
    node: { capacity: { cpu: '2', memory: '4Gi' } },
  });
}, 60_000);
afterAll(() => cluster.stop());

/** All reasons of an answer, the nearest first. */
function reasons({ causes }: Explanation): string[] {
  const of = ({ reason, because = [] }: Cause): string[] => [reason, ...because.flatMap(reasons)];
  return causes.flatMap(of);
}

const pod = (name: string, spec: object, annotations: Record<string, string> = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name }, annotations },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
});
const behaves = (script: object): Record<string, string> => ({ 'simulate.k8ts.dev/behaviour': JSON.stringify(script) });
const template = (name: string, spec: object = {}, annotations: object = {}): object => ({
  metadata: { labels: { app: name }, annotations },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
});
const deployment = (name: string, spec: object): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: template(name), ...spec },
});
const claim = (name: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

/** Asks until the answer has the reason: controllers and the scheduler need a moment. */
async function asked(reference: string, reason: string): Promise<Answer> {
  let answer = await cluster.why(reference);
  for (let i = 0; i < 40 && !reasons(answer).includes(reason); i++) {
    await cluster.clock.advance('1s');
    answer = await cluster.why(reference);
  }
  expect(reasons(answer), answerText(answer)).toContain(reason);
  return answer;
}

describe('why a pod', () => {
  it('is Pending: each node with its plugin, and what would help', async () => {
    await cluster.apply([
      pod('huge', { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '3' } } }] }),
    ]);
    const answer = await asked('pod/huge', 'Unschedulable');
    expect(answer).toMatchObject({ state: 'Pending', healthy: false });
    expect(answer.causes[0]!.message).toContain('Insufficient cpu');
    expect(answer.causes[0]!.evidence).toEqual([
      'sim-0: NodeResourcesFit: Insufficient cpu',
      'sim-1: NodeResourcesFit: Insufficient cpu',
    ]);
    expect(answer.causes[0]!.remedy).toBe(
      'request at most 2000m cpu (3000m is requested; the whole node has 2000m) on node sim-0, which needs the least',
    );
  });

  it('is Pending: scheduling gates, a scheduler that does not run, a claim that is not bound', async () => {
    await cluster.apply([
      pod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }),
      pod('other', { schedulerName: 'nobody' }),
      claim('static', { storageClassName: '' }),
      pod('claims', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'static' } }] }),
    ]);
    expect((await asked('pod/gated', 'SchedulingGated')).causes[0]!.message).toContain('example.com/wait');
    expect((await asked('pod/other', 'NoScheduler')).causes[0]!.remedy).toContain('nobody');
    expect(reasons(await asked('pod/claims', 'ClaimNotBound'))).toContain('NoVolumeFits');
  });

  it('is on its node: the scores', async () => {
    await cluster.apply([pod('placed', {})]);
    const answer = await asked('pod/placed', 'Scheduled');
    expect(answer).toMatchObject({
      healthy: true,
      causes: [{ message: expect.stringContaining('2 of 2 nodes fit') as string }],
    });
    expect(answer.causes[0]!.evidence![0]).toMatch(/^sim-\d scored \d+ \(.*NodeResourcesFit/);
  });

  it('does not start: an image that cannot be pulled, a Secret that does not exist', async () => {
    await cluster.apply([
      pod('unpulled', {}, behaves({ imagePullError: 'manifest unknown' })),
      pod('secretless', { volumes: [{ name: 'keys', secret: { secretName: 'gone' } }] }, behaves({ startAfter: '1h' })),
    ]);
    const image = await cluster.waitFor(async () => {
      const answer = await cluster.why('pod/unpulled');
      return answer.causes[0]?.message.includes('cannot be pulled') && answer;
    });
    expect(image.causes[0]!.message).toContain('the image web:1 cannot be pulled: manifest unknown');
    expect((await asked('pod/secretless', 'FailedMount')).causes[0]!.remedy).toContain('create the Secret gone');
  });

  it('restarts: the exit code; OOMKilled', async () => {
    await cluster.apply([
      pod('crash', {}, behaves({ runFor: '1s', exitCode: 139 })),
      pod('oom', {}, behaves({ runFor: '1s', exitCode: 137, exitReason: 'OOMKilled' })),
    ]);
    const crash = await asked('pod/crash', 'CrashLoopBackOff');
    expect(crash.causes[0]!.message).toMatch(/exit code 139, which is SIGSEGV/);
    expect(crash.causes[0]!.remedy).toBe('kubectl logs -n default crash -c main --previous');
    expect((await asked('pod/oom', 'OOMKilled')).causes[0]!.remedy).toContain('memory limit');
  });

  it('is not Ready: a readiness gate, a silent node', async () => {
    await cluster.apply([pod('waits', { readinessGates: [{ conditionType: 'example.com/lb' }] })]);
    expect((await asked('pod/waits', 'ReadinessGatesNotReady')).state).toBe('Running, not Ready');
    await cluster.addNodes(1, { prefix: 'lost', node: { capacity: { cpu: '2', memory: '4Gi' } } });
    await cluster.apply([pod('lonely', { nodeName: 'lost-0' })]);
    await cluster.waitFor('pod/lonely', 'Ready');
    cluster.faults.silenceNode('lost-0');
    await cluster.clock.advance('2m');
    expect((await asked('pod/lonely', 'NodeNotReady')).causes[0]!.message).toContain('lost-0');
    cluster.faults.silenceNode('lost-0', false);
  });

  it('stays Terminating: a finalizer, and who set it', async () => {
    await cluster.apply([{ ...pod('held', {}), metadata: { name: 'held', finalizers: ['example.com/hold'] } }]);
    await cluster.client.resource('v1/pods').delete({ namespace: 'default', name: 'held' });
    await cluster.clock.advance('1m');
    const answer = await asked('pod/held', 'Finalizer');
    expect(answer.state).toBe('Terminating');
    expect(answer.causes[0]!.message).toContain('example.com/hold');
    expect(answer.causes[0]!.evidence![0]).toMatch(/^the field manager k8ts set it at/);
  });
});

describe('why a workload, a Service or an Ingress', () => {
  it('a Deployment does not progress: its pods, and a quota', async () => {
    await cluster.apply([
      deployment('broken', { template: template('broken', {}, behaves({ imagePullError: 'not found' })) }),
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'full' } },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace: 'full' },
        spec: { hard: { pods: '1' } },
      },
      { ...deployment('squeezed', {}), metadata: { name: 'squeezed', namespace: 'full' } },
    ]);
    const broken = await asked('deployment/broken', 'PodsNotReady');
    expect(broken.state).toBe('0 of 2 pods are available');
    await asked('deploy/broken', 'ErrImagePull');
    await cluster.apply([deployment('rolled', {})]);
    await cluster.waitFor('deployment/rolled', 'Available');
    const unpullable = template('rolled', {}, behaves({ imagePullError: 'not found' }));
    await cluster.apply([deployment('rolled', { template: unpullable })]);
    expect((await asked('deployment/rolled', 'ErrImagePull')).state).toBe(
      '2 of 2 pods are available, 1 of them of the newest template',
    );
    const squeezed = await cluster.waitFor(async () => {
      const answer = await cluster.why('deployment/squeezed', { namespace: 'full' });
      return answerText(answer).includes('exceeded quota: small') && answer;
    });
    expect(squeezed.healthy).toBe(false);
    const quota = await cluster.why('quota/small', { namespace: 'full' });
    expect(quota).toMatchObject({ state: 'pods 1 of 1', causes: [{ reason: 'QuotaFull' }] });
  });

  it('a Service has no endpoints: labels that nearly match, pods that are not ready, a port without a name', async () => {
    const service = (name: string, selector: object, targetPort: number | string = 80): Manifest => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector, ports: [{ port: 80, targetPort }] },
    });
    await cluster.apply([
      deployment('api', { replicas: 1 }),
      deployment('slow', { replicas: 1, template: template('slow', {}, behaves({ readyAfter: false })) }),
      service('typo', { app: 'apj' }),
      service('unready', { app: 'slow' }),
      service('portless', { app: 'api' }, 'http'),
      service('fine', { app: 'api' }),
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'headless' },
        spec: { clusterIP: 'None', selector: { app: 'api' } },
      },
    ]);
    await cluster.waitFor('deployment/api', 'Available');
    const typo = await asked('service/typo', 'NothingSelected');
    expect(typo.causes[0]!.evidence!.join()).toContain('app=api, not apj');
    expect(reasons(await asked('svc/unready', 'PodsNotReady'))).toContain('Unhealthy');
    expect((await asked('service/portless', 'NoSuchPort')).causes[0]!.message).toContain('"http"');
    await cluster.waitFor(async () => (await cluster.why('service/fine')).healthy);
    await cluster.waitFor(async () => (await cluster.why('service/headless')).healthy);

    const ingress = (name: string, backend: object, spec: object = {}): Manifest => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name },
      spec: { defaultBackend: { service: backend }, ...spec },
    });
    await cluster.apply([
      ingress('absent', { name: 'gone', port: { number: 80 } }, { ingressClassName: 'nobody' }),
      ingress('wrong', { name: 'fine', port: { number: 81 } }, { tls: [{ secretName: 'no-certificate' }] }),
      ingress('behind', { name: 'typo', port: { number: 80 } }),
    ]);
    expect(reasons(await asked('ingress/absent', 'ServiceNotFound'))).toContain('IngressClassNotFound');
    expect(reasons(await asked('ingress/wrong', 'NoSuchPort'))).toContain('SecretNotFound');
    expect(reasons(await asked('ingress/behind', 'BackendNotReady'))).toContain('NothingSelected');
  });

  it('an autoscaler does not scale: the metrics API is not served', async () => {
    await cluster.apply([
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api' }, maxReplicas: 3 },
      },
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'lost' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' }, maxReplicas: 3 },
      },
    ]);
    expect((await asked('hpa/lost', 'FailedGetScale')).causes[0]!.remedy).toContain('Deployment gone exists');
    expect((await asked('hpa/web', 'FailedGetResourceMetric')).causes[0]!.remedy).toContain('metrics');
  });
});

describe('why a claim or a namespace', () => {
  it('a claim is not bound', async () => {
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'tiny' },
      spec: {
        capacity: { storage: '1Mi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/tmp/tiny' },
        storageClassName: '',
      },
    };
    await cluster.apply([
      volume,
      claim('large', { storageClassName: '' }),
      claim('classless', { storageClassName: 'gone' }),
    ]);
    expect((await asked('pvc/large', 'NoVolumeFits')).causes[0]!.evidence).toContain(
      'tiny: it has 1Mi, and 1Gi is wanted',
    );
    expect((await asked('pvc/classless', 'StorageClassNotFound')).causes[0]!.message).toContain('gone');
  });

  it('a namespace stays Terminating: the object, its finalizer and who set it', async () => {
    await cluster.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'stuck' } },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'held', namespace: 'stuck', finalizers: ['example.com/keep'] },
      },
    ]);
    await cluster.client.resource('v1/namespaces').delete({ name: 'stuck' });
    await asked('namespace/stuck', 'SomeFinalizersRemain');
    const text = answerText(await asked('namespace/stuck', 'ObjectRemains'));
    expect(text).toContain('ConfigMap stuck/held: Terminating');
    expect(text).toContain('the finalizer example.com/keep holds it');
  });
});

describe('information that the user may not read', () => {
  it('is listed as unknown, and causes no conclusion', async () => {
    const rules = [{ apiGroups: [''], resources: ['services', 'pods'], verbs: ['get'] }];
    await cluster.apply([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'looker' }, rules },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'looker' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'looker' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
      },
    ]);
    const client = cluster.clientAs('jane');
    const answer = await why('pod/huge', { client, now: () => cluster.clock.now() });
    expect(answer.causes[0]!.message).toContain('Insufficient cpu');
    expect(answer.unknown).toContain(
      'which plugin rejected which node: the scheduler of this cluster does not provide it',
    );
    await expect(why('deployment/api', { client, now: () => 0 })).rejects.toThrow('forbidden');
  });
});
