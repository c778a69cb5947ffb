/**
 * Logs of a story of workloads: an exchanged part causes no errors, neither in its own log nor in those of the others, that
 * upstream alone does not have.
 */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { requires } from '../requires.ts';
import { CONTROL_PLANE, ControlPlane, type Side } from './control-plane.ts';
import { errorsNotIn, errorsOf } from './logs.ts';
import { createWorkloads, NAMESPACE, scale, untilReady } from './workloads.ts';

const missing = requires(...CONTROL_PLANE);
const title = `logs${missing ? ` (skipped: ${missing})` : ''}`;
const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
const SETTLED_MS = 10_000;

type Errors = Record<(typeof COMPONENTS)[number], readonly string[]>;

let plane: ControlPlane | undefined;
afterEach(async () => {
  await plane?.stop();
  plane = undefined;
});

/** The errors that each component logs while workloads come, change and go. */
async function story(apiServer: Side, controllers: Side): Promise<Errors> {
  plane = await ControlPlane.start('upstream', apiServer);
  const { client } = plane;
  await plane.run('kube-controller-manager', controllers);
  await plane.run('kube-scheduler', controllers);
  await plane.addNodes(2);
  await createWorkloads(client);
  await scale(client, 5);
  await untilReady(client, { deployment: 5 });
  await client
    .resource('apps/v1/deployments')
    .patch(
      { namespace: NAMESPACE, name: 'deployment' },
      { spec: { template: { metadata: { labels: { version: '2' } } } } },
      { type: 'merge' },
    );
  await plane.ctx.clock.sleep(SETTLED_MS);
  await untilReady(client, { deployment: 5 });
  await client.resource('v1/namespaces').delete({ name: NAMESPACE });
  const isGone = async (): Promise<boolean> =>
    !(await client.resource('v1/namespaces').list()).items.some(({ metadata }) => metadata.name === NAMESPACE);
  await until('the namespace is gone', isGone, { limitMs: 90_000, intervalMs: 500 });
  const errors = Object.fromEntries(COMPONENTS.map((component) => [component, errorsOf(plane!.log(component))]));
  await plane.stop();
  plane = undefined;
  return errors as unknown as Errors;
}

describe.skipIf(missing)(title, { timeout: 300_000 }, () => {
  let alone: Errors;
  beforeAll(async () => {
    alone = await story('upstream', 'upstream');
  }, 300_000);

  const notAlone = (errors: readonly string[], component: keyof Errors): string[] =>
    errorsNotIn(alone[component], errors).map((line) => `${component} ${line}`);

  it.each<[Side, Side]>([
    ['k8ts', 'upstream'],
    ['upstream', 'k8ts'],
    ['k8ts', 'k8ts'],
  ])('the API server of %s with the controllers and the scheduler of %s', async (apiServer, controllers) => {
    const errors = await story(apiServer, controllers);
    expect(COMPONENTS.flatMap((component) => notAlone(errors[component], component))).toEqual([]);
  });
});
