/** `k8ts why --kubeconfig` on upstream's control plane: it answers from what the API tells, and says what it cannot know. */
import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { builtProgram } from '../k8ts-process.ts';
import { everything, requires } from '../requires.ts';
import { CONTROL_PLANE, ControlPlane } from './control-plane.ts';

const missing = everything ? requires(...CONTROL_PLANE) : 'in the long form';
const PATIENCE_MS = 90_000;
/** Upstream's scheduler tells its verdicts in one sentence, and nobody else knows them. */
const NO_DECISIONS = 'which plugin rejected which node: the scheduler of this cluster does not provide it';

describe.skipIf(missing)(
  `why, on upstream's cluster${missing ? ` (skipped: ${missing})` : ''}`,
  { timeout: 180_000 },
  () => {
    let plane: ControlPlane;
    let client: Client;

    beforeAll(async () => {
      plane = await ControlPlane.start('upstream', 'upstream');
      client = plane.client;
      await plane.run('kube-controller-manager', 'upstream');
      await plane.run('kube-scheduler', 'upstream');
      await plane.addNodes(2);
      await until(
        'the namespace has its ServiceAccount',
        async () => (await client.resource('v1/serviceaccounts').list({ namespace: 'default' })).items.length > 0,
        { limitMs: PATIENCE_MS },
      );
    }, 240_000);
    afterAll(() => plane?.stop(), 60_000);

    async function why(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
      const child = spawn(process.execPath, [await builtProgram(), 'why', ...args, '--kubeconfig', plane.kubeconfig], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const result = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => (result[name] += text));
      return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...result })));
    }

    /** Asks until the answer has all of it: controllers and nodes need a moment. */
    async function answers(args: readonly string[], ...wanted: readonly string[]): Promise<string> {
      let last = '';
      const isThere = async (): Promise<boolean> => {
        const { code, stdout, stderr } = await why(...args);
        last = `exit code ${code}\n${stdout}${stderr}`;
        return code === 0 && wanted.every((text) => stdout.includes(text));
      };
      await until(`k8ts why ${args.join(' ')} says ${wanted.join(' and ')}`, isThere, { limitMs: PATIENCE_MS }).catch(
        (error: unknown) => {
          throw new Error(`${String(error)}\n${last}`);
        },
      );
      return last;
    }

    const behaves = (script: object): Record<string, string> => ({
      'simulate.k8ts.dev/behaviour': JSON.stringify(script),
    });
    const container = { name: 'main', image: 'web:1' };
    const template = (app: string, annotations: Record<string, string> = {}) => ({
      metadata: { labels: { app }, annotations },
      spec: { containers: [container] },
    });
    const createPod = (name: string, spec: object = {}, metadata: object = {}) =>
      client.resource('v1/pods').create({
        metadata: { name, namespace: 'default', labels: { app: name }, ...metadata },
        spec: { containers: [container], ...spec },
      });
    const createDeployment = (name: string, namespace = 'default', annotations: Record<string, string> = {}) =>
      client.resource('apps/v1/deployments').create({
        metadata: { name, namespace },
        spec: { replicas: 2, selector: { matchLabels: { app: name } }, template: template(name, annotations) },
      });
    const createService = (name: string, app: string) =>
      client.resource('v1/services').create({
        metadata: { name, namespace: 'default' },
        spec: { selector: { app }, ports: [{ port: 80, targetPort: 8080 }] },
      });

    it('a pod is Pending: what the scheduler said, and that it does not say more', async () => {
      await createPod('huge', { containers: [{ ...container, resources: { requests: { cpu: '500' } } }] });
      await answers(
        ['pod/huge'],
        'Pod default/huge: Pending',
        'Unschedulable: 0/2 nodes are available: 2 Insufficient cpu',
        'Not known:',
        NO_DECISIONS,
      );
    });

    it('a pod restarts, is not Ready, or stays Terminating', async () => {
      await createPod('crash', {}, { annotations: behaves({ runFor: '1s', exitCode: 3 }) });
      await createPod('waits', { readinessGates: [{ conditionType: 'example.com/lb' }] });
      await createPod('held', {}, { finalizers: ['example.com/hold'] });
      await client.resource('v1/pods').delete({ namespace: 'default', name: 'held' }, { gracePeriodSeconds: 0 });
      await answers(['pod/crash'], 'CrashLoopBackOff: container main ended with exit code 3', 'kubectl logs');
      await answers(['pod/waits'], 'ReadinessGatesNotReady: the readiness gate example.com/lb was never set');
      await answers(['pod/held'], 'Terminating', 'the finalizer example.com/hold holds it', 'set it at');
    });

    it('a claim is not bound', async () => {
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      const claims = client.resource('v1/persistentvolumeclaims');
      await claims.create({
        metadata: { name: 'classless', namespace: 'default' },
        spec: { ...spec, storageClassName: 'gone' },
      });
      await claims.create({
        metadata: { name: 'static', namespace: 'default' },
        spec: { ...spec, storageClassName: '' },
      });
      await answers(['pvc/classless'], 'StorageClassNotFound', 'gone');
      await answers(['pvc/static'], 'NoVolumeFits');
    });

    it('a Deployment does not progress: its pods, and a quota that is full', async () => {
      await createDeployment('broken', 'default', behaves({ imagePullError: 'not found' }));
      await client.resource('v1/namespaces').create({ metadata: { name: 'full' } });
      await client
        .resource('v1/resourcequotas')
        .create({ metadata: { name: 'small', namespace: 'full' }, spec: { hard: { pods: '1' } } });
      await createDeployment('squeezed', 'full');
      await answers(['deployment/broken'], '0 of 2 pods are available', 'the image web:1 cannot be pulled: not found');
      await answers(['deployment/squeezed', '-n', 'full'], 'exceeded quota: small');
      await answers(['quota/small', '-n', 'full'], 'pods 1 of 1', 'QuotaFull');
    });

    it('a Service has no endpoints, and the Ingress before it', async () => {
      await createPod('api');
      await createService('typo', 'apj');
      await client.resource('networking.k8s.io/v1/ingresses').create({
        metadata: { name: 'front', namespace: 'default' },
        spec: { ingressClassName: 'nobody', defaultBackend: { service: { name: 'typo', port: { number: 80 } } } },
      });
      await answers(['service/typo'], 'NothingSelected', 'app=api, not apj');
      await answers(['ingress/front'], 'IngressClassNotFound', 'BackendNotReady', 'NothingSelected');
    });

    it('a connection: the policy that ends it, and that the kernels of the nodes are not seen', async () => {
      await createPod('client');
      await createPod('server', { containers: [{ ...container, ports: [{ containerPort: 8080 }] }] });
      await createService('server', 'server');
      const asked = ['connection', 'pod/client', 'to', 'service/server:80'];
      await answers(
        asked,
        'Endpoint: ok: pod default/server',
        'whether the kernel of node sim-',
        'how names are resolved is not known',
      );
      await client.resource('networking.k8s.io/v1/networkpolicies').create({
        metadata: { name: 'closed', namespace: 'default' },
        spec: { podSelector: { matchLabels: { app: 'server' } }, policyTypes: ['Ingress'] },
      });
      await answers(asked, 'does not work: NetworkPolicy default/closed isolates default/server');
    });

    it('an autoscaler does not scale', async () => {
      await client.resource('autoscaling/v2/horizontalpodautoscalers').create({
        metadata: { name: 'lost', namespace: 'default' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gone' }, maxReplicas: 3 },
      });
      await answers(['hpa/lost'], 'FailedGetScale', 'Deployment gone exists');
    });

    it('a namespace does not go', async () => {
      await client.resource('v1/namespaces').create({ metadata: { name: 'stuck' } });
      await client
        .resource('v1/configmaps')
        .create({ metadata: { name: 'held', namespace: 'stuck', finalizers: ['example.com/keep'] } });
      await client.resource('v1/namespaces').delete({ name: 'stuck' });
      await answers(
        ['namespace/stuck'],
        'SomeFinalizersRemain',
        'ConfigMap stuck/held: Terminating',
        'the finalizer example.com/keep holds it',
      );
    });

    it('somebody is denied something: by RBAC, and that other authorizers are not seen', async () => {
      const rbac = 'rbac.authorization.k8s.io';
      await client.resource('rbac.authorization.k8s.io/v1/roles').create({
        metadata: { name: 'reader', namespace: 'default' },
        rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }],
      });
      await client.resource('rbac.authorization.k8s.io/v1/rolebindings').create({
        metadata: { name: 'devs', namespace: 'default' },
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'reader' },
        subjects: [{ apiGroup: rbac, kind: 'User', name: 'jane' }],
      });
      await answers(
        ['denied', '--as', 'jane', 'delete', 'pods/api'],
        'jane may not delete pods "api" in namespace "default"',
        'its rule [get, list of pods] lacks the verb delete',
        'the answers of other authorizers than RBAC: this API server does not tell them one by one',
      );
      await answers(['denied', '--as', 'jane', 'get', 'pods/api'], 'RoleBinding "devs/default" of Role "reader"');
    });

    it('says that only an API server of k8ts keeps its requests', async () => {
      const { code, stderr } = await why('request', '5d2a5e0f-2d4c-4a57-9d55-3f1a5a6f4c11');
      expect(code).toBe(1);
      expect(stderr).toContain('this API server does not keep its requests; its audit log has an event');
    });
  },
);
