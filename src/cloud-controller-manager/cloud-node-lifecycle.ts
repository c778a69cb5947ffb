/**
 * cloud-node-lifecycle-controller: deletes Nodes whose instance no longer exists, and taints those whose instance is
 * shut down.
 */
import type { Node } from '../api/generated/core-v1.ts';
import { isNotFound } from '../client/index.ts';
import { UNINITIALIZED_TAINT } from './cloud-node.ts';
import { periodically, type CloudController, type CloudControllerContext } from './controller.ts';
import type { Instances } from './provider.ts';

const SHUTDOWN_TAINT = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' } as const;

export const cloudNodeLifecycleController: CloudController = {
  eventSource: 'cloud-node-lifecycle-controller',
  build(context) {
    const { informers, provider, config, signal, logger } = context;
    const { instances } = provider;
    if (!instances) return undefined;
    const nodes = informers.informer('v1/nodes');
    return () =>
      periodically(context, config.nodeMonitorPeriodMs, async () => {
        for (const node of nodes.list()) {
          if (signal.aborted) return;
          // An error about one node must not stop the others.
          await monitorNode(context, instances, node).catch((error: unknown) =>
            logger.error(error, 'Error checking the node in the cloud provider', { node: node.metadata.name }),
          );
        }
      });
  },
};

async function monitorNode(context: CloudControllerContext, instances: Instances, node: Node): Promise<void> {
  const { client, recorder, signal } = context;
  const { name = '' } = node.metadata;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  if (ready === 'True') {
    await setShutDown(context, node, false);
    return;
  }
  if ((node.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED_TAINT) && !node.spec?.providerID) return;
  if (!(await instances.exists(node))) {
    recorder.event(
      node,
      'Normal',
      'DeletingNode',
      `Deleting node ${name} because it does not exist in the cloud provider`,
    );
    await client
      .resource('v1/nodes')
      .delete({ name }, { preconditions: { uid: node.metadata.uid }, signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    return;
  }
  await setShutDown(context, node, await instances.isShutDown(node));
}

async function setShutDown({ client, signal }: CloudControllerContext, node: Node, shutDown: boolean): Promise<void> {
  const taints = node.spec?.taints ?? [];
  if (taints.some(({ key }) => key === SHUTDOWN_TAINT.key) === shutDown) return;
  const next = shutDown ? [...taints, SHUTDOWN_TAINT] : taints.filter(({ key }) => key !== SHUTDOWN_TAINT.key);
  await client
    .resource('v1/nodes')
    .patch(
      { name: node.metadata.name! },
      { metadata: { resourceVersion: node.metadata.resourceVersion }, spec: { taints: next } },
      { type: 'merge', signal },
    );
}
