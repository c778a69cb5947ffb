import { expect, it } from 'vitest';
import type { Pod } from '../api/generated/core-v1.ts';
import { Client, type Transport } from '../client/index.ts';
import { createTestContext } from '../kernel/index.ts';
import { SimulatedPod, type PodHost } from './simulated-pod.ts';
import { StatusWriter } from './status-writer.ts';

it('asks once to remove a pod that somebody else has removed', async () => {
  const ctx = createTestContext();
  const requests: string[] = [];
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  const object: Pod = {
    metadata: { namespace: 'default', name: 'done', uid: 'u', resourceVersion: '7', deletionGracePeriodSeconds: 0 },
    spec: { nodeName: 'sim-0', containers: [{ name: 'main', image: 'job:1' }] },
    status: { phase: 'Succeeded' },
  };
  const transport: Transport = {
    request({ method, path }) {
      requests.push(`${method} ${path}`);
      // What the informer delivers meanwhile.
      writer.changed(pod);
      const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };
      return Promise.resolve({ status: 404, headers: {}, body });
    },
    watch: unused,
    stream: unused,
    close: () => Promise.resolve(),
  };
  const writer = new StatusWriter(ctx);
  const client = new Client({ transport, clock: ctx.clock });
  const host: Partial<PodHost> = { client, clock: ctx.clock, changed: (changed) => writer.changed(changed) };
  const pod = new SimulatedPod(object, host as PodHost);
  const running = writer.run();
  pod.begin();
  pod.terminate();
  await ctx.clock.advance(60_000);
  expect(requests).toEqual(['DELETE /api/v1/namespaces/default/pods/done']);
  ctx.stop();
  await running;
});
