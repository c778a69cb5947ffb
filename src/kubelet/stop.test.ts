/** A kubelet that is stopped ends at once, whatever its pods wait for, and whether the API server answers or not. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Container } from '../api/generated/core-v1.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { untilAborted } from '../kernel/index.ts';
import { makePod, startKubeletFixture, type KubeletFixture } from './testing/index.ts';

let f: KubeletFixture;
beforeEach(async () => {
  f = await startKubeletFixture();
});
afterEach(() => f.stop());

const never = <T>(): Promise<T> => new Promise<T>(() => {});
const HOURS = 3600;

/** A client of an API server that can be made silent: it then neither answers nor hangs up. */
function silenceableClient(): { readonly client: Client; silence(): void; asked(): readonly string[] } {
  let isSilent = false;
  const asked: string[] = [];
  const transport = inProcessTransport({
    user: { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    signal: f.ctx.signal,
    handle: (request) => {
      if (!isSilent) return f.server.pipeline.handle(request);
      asked.push(`${request.method} ${request.path}`);
      return never();
    },
  });
  const client = new Client({ transport, clock: f.ctx.clock, userAgent: 'kubelet' });
  return { client, silence: () => void (isSilent = true), asked: () => asked };
}

async function expectImmediateEnd(): Promise<void> {
  const startedAt = f.ctx.clock.monotonic();
  await f.stopKubelet();
  expect(f.ctx.clock.monotonic() - startedAt).toBeLessThan(1000);
  expect(f.ctx.logLines.filter((line) => line.includes('Failed to stop in time'))).toEqual([]);
}

const hang = async (signal: AbortSignal | undefined): Promise<never> => {
  if (signal === undefined) return never();
  await untilAborted(signal);
  throw signal.reason as Error;
};

const main = (more: Partial<Container>): { containers: Container[] } => ({
  containers: [{ name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent', ...more }],
});
const probe = { periodSeconds: 1, timeoutSeconds: HOURS };

it('ends while pulls, hooks, probes and grace periods are under way', async () => {
  const dialled: number[] = [];
  f.runtime.pullMs = HOURS * 1000;
  f.runtime.exec = (_, signal) => hang(signal);
  f.runtime.scripts.set('stubborn', { stopMs: HOURS * 1000 });
  f.runtime.scripts.set('crashes', { exitAfterMs: 1, exitCode: 1 });
  await f.start({}, { dial: (_host, port, signal) => (dialled.push(port), hang(signal)) });
  const exec = { command: ['sleep', 'infinity'] };
  const pods = [
    makePod('pulls', main({ image: 'elsewhere/image' })),
    makePod('starts', main({ lifecycle: { postStart: { exec } } })),
    makePod('is-probed', {
      containers: [
        { name: 'a', image: 'busybox', readinessProbe: { exec, ...probe }, startupProbe: { exec, ...probe } },
        { name: 'b', image: 'busybox', readinessProbe: { httpGet: { port: 1 }, ...probe } },
        { name: 'c', image: 'busybox', readinessProbe: { tcpSocket: { port: 2 }, ...probe } },
        { name: 'd', image: 'busybox', livenessProbe: { grpc: { port: 3 }, ...probe } },
      ].map((container) => ({ imagePullPolicy: 'IfNotPresent', ...container })),
    }),
    makePod('crashes', main({ name: 'crashes' })),
    makePod('waits-for-volume', {
      ...main({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      volumes: [{ name: 'v', configMap: { name: 'missing' } }],
    }),
    makePod('is-stopped', { terminationGracePeriodSeconds: HOURS, ...main({ name: 'stubborn' }) }),
    makePod('runs-its-hook', {
      terminationGracePeriodSeconds: HOURS,
      ...main({ lifecycle: { preStop: { exec: { command: ['prestop'] } } } }),
    }),
  ];
  for (const pod of pods) await f.create(pod);
  for (const name of ['is-stopped', 'runs-its-hook']) {
    await f.untilPhase(name, 'Running');
    await f.client.resource('v1/pods').delete({ namespace: 'default', name });
  }
  await f.until('everything is under way', () => {
    const { calls } = f.runtime;
    return (
      ['PullImage elsewhere/image:latest', 'StopContainer stubborn 3600', 'ExecSync prestop'].every((call) =>
        calls.includes(call),
      ) &&
      calls.filter((call) => call === 'ExecSync sleep infinity').length >= 2 &&
      [1, 2, 3].every((port) => dialled.includes(port))
    );
  });
  await expectImmediateEnd();
});

it('ends while the API server does not answer', async () => {
  const { client, silence, asked } = silenceableClient();
  await f.start({}, { client });
  const token = { serviceAccountToken: { path: 'token', expirationSeconds: 600 } };
  await f.client.resource('v1/configmaps').create({ metadata: { name: 'c', namespace: 'default' }, data: { a: '1' } });
  await f.create(
    makePod('has-token', {
      ...main({ volumeMounts: [{ name: 't', mountPath: '/t' }] }),
      volumes: [{ name: 't', projected: { sources: [token, { configMap: { name: 'c' } }] } }],
    }),
  );
  await f.untilPhase('has-token', 'Running');
  f.runtime.exit(f.runtime.container('has-token', 'main'), 1);
  silence();
  // The token is renewed after 80 percent of its ten minutes.
  await f.advance(8 * 60_000);
  await f.until('the kubelet asks for a token', () => asked().some((request) => request.endsWith('/token')));
  await expectImmediateEnd();
});

it('names what does not end, and ends without it', async () => {
  await f.start({}, { dial: never });
  await f.create(makePod('is-probed', main({ readinessProbe: { tcpSocket: { port: 2 }, ...probe } })));
  await f.untilPhase('is-probed', 'Running');
  await f.advance(2000);
  await f.stopKubelet();
  expect(f.ctx.logLines.join('\n')).toMatch(/Failed to stop in time.* part="pod components" stillRunning="probes"/);
});
