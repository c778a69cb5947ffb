/**
 * Three servers with a member of etcd each and three workers, with 500 pods, under writes that are counted and a Service that is
 * called 200 times a second: each process and each machine is killed and frozen in turn, each link is cut. What it measured is printed.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/core-v1.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive, webImage } from '../test-images.ts';
import { containerOf, kubectlOn, untilPodsReady } from './kubectl.ts';
import { signalIn, type Machine } from './machines.ts';
import { ServerWorld, SOON } from './server-world.ts';
import { ServiceCaller, TIMEOUT_MS } from './service-caller.ts';

const missing = everything
  ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl', 'etcd', 'etcdctl')
  : 'long form';
const PODS = 500;
const WEB_PODS = 12;
const CALLS_PER_SECOND = 200;
/** From the change of an EndpointSlice to the rules of every machine. */
const RULES_MS = 3000;
/** Only what leaders write: controllers have ServiceAccounts of their own. Renewing a Lease is how to become one. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', resources: [{ group: 'coordination.k8s.io' }, { group: '', resources: ['events'] }] },
    {
      level: 'Metadata',
      verbs: ['create', 'update', 'patch', 'delete'],
      users: ['system:kube-scheduler', 'system:kube-controller-manager'],
    },
    {
      level: 'Metadata',
      verbs: ['create', 'update', 'patch', 'delete'],
      userGroups: ['system:serviceaccounts:kube-system'],
    },
    { level: 'None' },
  ],
};

interface AuditEvent {
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
  readonly responseStatus?: { readonly code: number };
}

describe.skipIf(missing !== undefined)(
  `three servers and three workers${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    let world: ServerWorld;
    let caller: ServiceCaller;
    const silent = new Set<string>();

    beforeAll(async () => {
      world = new ServerWorld({
        workers: ['w1', 'w2', 'w3'],
        serverFlags: () => ['--audit-policy-file', join(world.machines.scratch, 'audit-policy.json')],
        workerFlags: () => ['--load-archive', join(world.machines.scratch, 'images.tar')],
      });
      const { scratch } = world.machines;
      writeFileSync(join(scratch, 'audit-policy.json'), JSON.stringify(AUDIT_POLICY));
      writeFileSync(join(scratch, 'images.tar'), dockerArchive(busyboxImage(), webImage()));
      await world.start();
      for (const { k8ts, directory } of world.servers)
        await k8ts(['image', 'load', join(scratch, 'images.tar'), '--data-dir', directory]);
    }, 600_000);
    afterAll(async () => {
      caller?.stop();
      await world.stop();
    }, 120_000);

    const { apply } = kubectlOn(
      () => world.machines,
      () => world.alive()[0]!,
    );
    const deployment = (name: string, replicas: number, pod: object) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { terminationGracePeriodSeconds: 0, ...pod } },
      },
    });
    const podsOf = async (name: string): Promise<Pod[]> =>
      (await world.get<{ items: Pod[] }>(`/api/v1/namespaces/default/pods?labelSelector=app%3D${name}`))?.items ?? [];
    const allReady = (name: string, count: number): Promise<Pod[]> =>
      untilPodsReady(name, count, () => podsOf(name), { limitMs: 300_000, intervalMs: 1000 });
    const endpointsOn = async (node: string): Promise<number> => {
      const slices = await world.get<{
        items: { endpoints: { nodeName: string; conditions: { ready: boolean } }[] | null }[];
      }>(
        '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dweb',
      );
      if (slices === undefined) return Infinity;
      const endpoints = slices.items.flatMap((slice) => slice.endpoints ?? []);
      return endpoints.filter(({ nodeName, conditions }) => nodeName === node && conditions.ready).length;
    };

    it('runs 500 pods and a Service that pods of every worker answer', async () => {
      const from = performance.now();
      const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' };
      const workers = { key: 'kubernetes.io/hostname', operator: 'In', values: world.workers.map(({ name }) => name) };
      await apply(
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web' },
          spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
        },
        deployment('web', WEB_PODS, {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [workers] }] },
            },
          },
          topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: { app: 'web' } } }],
          containers: [
            {
              ...containerOf('www', 'mkdir /tmp/www; hostname > /tmp/www/name; exec httpd -f -p 8080 -h /tmp/www'),
              readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
            },
          ],
        }),
        deployment('sleeper', PODS - WEB_PODS, { containers: [containerOf('busybox', 'sleep 100000')] }),
      );
      await allReady('web', WEB_PODS);
      await allReady('sleeper', PODS - WEB_PODS);
      world.report.push(`${PODS} pods ready after ${((performance.now() - from) / 1000).toFixed(0)} s`);
      const service = await world.get<{ spec: { clusterIP: string } }>('/api/v1/namespaces/default/services/web');
      caller = new ServiceCaller({
        host: service!.spec.clusterIP,
        port: 80,
        callsPerSecond: CALLS_PER_SECOND,
        callers: () => world.machines.list.filter(({ name }) => !silent.has(name)).map(({ netns }) => netns),
      });
      caller.start();
      const names = new Set((await podsOf('web')).map(({ metadata }) => metadata.name));
      await until(
        'each pod has answered from each machine',
        () =>
          world.machines.list.every(
            ({ netns }) =>
              new Set(caller.calls.filter((call) => call.from === netns).map(({ pod }) => pod)).size >= names.size,
          ),
        SOON,
      );
      expect(caller.calls.filter(({ pod }) => pod === undefined)).toEqual([]);
      expect(new Set(caller.calls.map(({ pod }) => pod))).toEqual(names);
    }, 700_000);

    /** Processes are killed or frozen, and no call fails: what answers are containers, and the rules are in the kernel. */
    async function withoutFailedCall(what: string, work: () => Promise<void>): Promise<void> {
      const from = performance.now();
      await work();
      const calls = caller.between(from, performance.now() - TIMEOUT_MS);
      const failed = calls.filter(({ pod }) => pod === undefined).length;
      world.report.push(`  ${calls.length} calls, ${failed} failed`);
      expect(failed, what).toBe(0);
    }

    const ofServers = ['a', 'b', 'c'];
    const ofWorkers = ['w1', 'w2', 'w3'];
    const machine = (name: string): Machine => world.machines.list.find((each) => each.name === name)!;

    it.each(ofServers)(
      'goes on when etcd of server %s is killed and frozen',
      async (name) => {
        const victim = machine(name);
        await withoutFailedCall(`kill -9 of etcd of ${name}`, () =>
          world.disaster({
            what: 'kill -9 of etcd',
            victim,
            strike: () => process.kill(world.etcdPid(victim), 'SIGKILL'),
            undo: () => undefined,
            isServerAlive: true,
          }),
        );
        const pid = world.etcdPid(victim);
        await withoutFailedCall(`freeze of etcd of ${name}`, () =>
          world.disaster({
            what: 'freeze of etcd',
            victim,
            strike: () => process.kill(pid, 'SIGSTOP'),
            undo: () => void process.kill(pid, 'SIGCONT'),
            isServerAlive: true,
          }),
        );
      },
      400_000,
    );

    it.each([...ofServers, ...ofWorkers])(
      'goes on when k8ts of %s is killed and frozen',
      async (name) => {
        const victim = machine(name);
        const isServerAlive = ofWorkers.includes(name);
        await withoutFailedCall(`kill -9 of k8ts of ${name}`, () =>
          world.disaster({
            what: 'kill -9 of k8ts',
            victim,
            strike: () => process.kill(world.k8tsPid(victim), 'SIGKILL'),
            undo: () => world.startAgain(victim),
            isServerAlive,
          }),
        );
        const pid = world.k8tsPid(victim);
        await withoutFailedCall(`freeze of k8ts of ${name}`, () =>
          world.disaster({
            what: 'freeze of k8ts',
            victim,
            strike: () => process.kill(pid, 'SIGSTOP'),
            undo: () => void process.kill(pid, 'SIGCONT'),
            isServerAlive,
          }),
        );
      },
      400_000,
    );

    /** A machine is gone for the others. Calls fail only on its pods, and only until its endpoints are gone. */
    async function withoutMachine(
      what: string,
      victim: Machine,
      { strike, undo }: { strike: () => void; undo: () => Promise<void> | void },
    ): Promise<void> {
      const isWorker = ofWorkers.includes(victim.name);
      const from = performance.now();
      let [gone, undone] = [from, from];
      await world.disaster({
        what,
        victim,
        isServerAlive: isWorker,
        strike: () => {
          silent.add(victim.name);
          strike();
        },
        before: async () => {
          if (!isWorker) return;
          const limits = { limitMs: 120_000, intervalMs: 250 };
          await until('the endpoints of the machine go', async () => (await endpointsOn(victim.name)) === 0, limits);
          gone = performance.now();
          await new Promise((resolve) => setTimeout(resolve, 10_000));
        },
        undo: async () => {
          undone = performance.now();
          await undo();
          // The machine calls again once its own rules are those of the cluster.
          await until(
            'its endpoints are back',
            async () => {
              return !isWorker || (await endpointsOn(victim.name)) === WEB_PODS / ofWorkers.length;
            },
            { limitMs: 180_000, intervalMs: 500 },
          );
        },
      });
      const during = caller.between(from, gone + RULES_MS);
      const share = during.filter(({ pod }) => pod === undefined).length / Math.max(1, during.length);
      const later = caller.between(gone + RULES_MS, performance.now() - TIMEOUT_MS);
      const failures = later.filter(({ pod }) => pod === undefined);
      const failedLater = failures.length;
      for (const { at, from: netns, failure } of failures.slice(0, 20))
        world.report.push(
          `    ${((at - undone) / 1000).toFixed(1)} s after the machine came back, from ${netns}: ${failure}`,
        );
      world.report.push(
        `  endpoints gone after ${((gone - from) / 1000).toFixed(1)} s, until then ${(share * 100).toFixed(1)} % of ${during.length} calls failed, later ${failedLater} of ${later.length}`,
      );
      // A third of the pods answer nothing; what a machine's own rules had chosen already is within the margin.
      expect(share, what).toBeLessThan(isWorker ? 1 / ofWorkers.length + 0.1 : 0.001);
      expect(failedLater, what).toBe(0);
      silent.delete(victim.name);
    }

    it.each([...ofServers, ...ofWorkers])(
      'goes on when the machine %s dies, stands still and is cut off',
      async (name) => {
        const victim = machine(name);
        await withoutMachine('death of the machine', victim, {
          strike: () => {
            victim.cut();
            signalIn(victim, 'SIGKILL');
          },
          undo: async () => {
            victim.mend();
            await world.startAgain(victim);
          },
        });
        await withoutMachine('freeze of the machine', victim, {
          strike: () => signalIn(victim, 'SIGSTOP'),
          undo: () => signalIn(victim, 'SIGCONT'),
        });
        await withoutMachine('cut link', victim, { strike: () => victim.cut(), undo: () => victim.mend() });
      },
      1_200_000,
    );

    it('has all pods again, and nothing needed a hand', async () => {
      await allReady('web', WEB_PODS);
      await allReady('sleeper', PODS - WEB_PODS);
      const { nodes } = await world.status();
      expect(nodes.filter(({ ready }) => ready)).toHaveLength(6);
      const failed = caller.calls.filter(({ pod }) => pod === undefined).length;
      world.report.push(`${caller.calls.length} calls of the Service in all, ${failed} failed`);
    }, 600_000);

    it('had at most one leader that acted at a time', async () => {
      await world.writer.stop();
      expect(await world.writer.lost(world.servers[0]!.address)).toEqual([]);
      world.report.push(`${world.writer.acknowledged.length} writes acknowledged, none lost`);
      for (const [lease, users] of [
        ['kube-scheduler', /^system:kube-scheduler$/],
        ['kube-controller-manager', /^system:serviceaccount:kube-system:/],
      ] as const) {
        const acts = world.servers.flatMap((server) =>
          auditEvents(server)
            .filter(({ user, responseStatus }) => users.test(user.username) && (responseStatus?.code ?? 500) < 300)
            .map(({ requestReceivedTimestamp }) => ({ at: requestReceivedTimestamp, server: server.name })),
        );
        acts.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
        const changes = acts.filter(({ server }, index) => index > 0 && acts[index - 1]!.server !== server).length;
        const found = await world.get<{ spec: { leaseTransitions?: number } }>(
          `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${lease}`,
        );
        const transitions = found!.spec.leaseTransitions ?? 0;
        world.report.push(
          `${lease}: ${acts.length} writes by ${changes + 1} leaders in turn, ${transitions} transitions`,
        );
        expect(acts.length, lease).toBeGreaterThan(100);
        // Two that act at once would take turns in the log far more often than the Lease changed hands.
        expect(changes, lease).toBeLessThanOrEqual(transitions);
        expect(transitions, lease).toBeGreaterThan(0);
      }
    }, 120_000);

    function auditEvents({ directory }: Machine): AuditEvent[] {
      const logs = join(directory, 'audit');
      return readdirSync(logs).flatMap((name) =>
        readFileSync(join(logs, name), 'utf8')
          .split('\n')
          .filter((line) => line.endsWith('}'))
          .map((line) => JSON.parse(line) as AuditEvent),
      );
    }
  },
);
