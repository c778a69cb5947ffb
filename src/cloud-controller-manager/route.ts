/** node-route-controller: creates a route in the cloud's network to the pod CIDRs of every Node. */
import type { Node, NodeCondition } from '../api/generated/core-v1.ts';
import { errorMessage, formatTime } from '../base/index.ts';
import { podCidrsOf } from '../component-helpers/index.ts';
import { periodically, type CloudController, type CloudControllerContext } from './controller.ts';
import type { Route, Routes } from './provider.ts';

export const routeController: CloudController = {
  eventSource: 'route_controller',
  build(context) {
    const { informers, provider, config } = context;
    const { routes } = provider;
    if (!routes || !config.configureCloudRoutes) return undefined;
    const nodes = informers.informer('v1/nodes');
    let wake = (): void => {};
    // A Node with a new pod CIDR does not wait for the next period.
    nodes.addHandler({
      onAdd: () => wake(),
      onUpdate: (before, after) => podCidrsOf(before).join() !== podCidrsOf(after).join() && wake(),
      onDelete: () => wake(),
    });
    const changed = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    return () =>
      periodically(
        context,
        config.routeReconciliationPeriodMs,
        () => reconcileRoutes(context, routes, nodes.list()),
        changed,
      );
  },
};

async function reconcileRoutes(context: CloudControllerContext, routes: Routes, nodes: readonly Node[]): Promise<void> {
  const { config, logger, signal } = context;
  const present = await routes.list(config.clusterName);
  const isWanted = ({ targetNode, destinationCidr, blackhole }: Route): boolean =>
    !blackhole && nodes.some((node) => node.metadata.name === targetNode && podCidrsOf(node).includes(destinationCidr));
  for (const old of present.filter((each) => !isWanted(each))) {
    logger.info('Deleting route', { node: old.targetNode, cidr: old.destinationCidr });
    await routes.delete(config.clusterName, old);
  }
  for (const node of nodes) {
    if (signal.aborted) return;
    const { name = '', uid = '' } = node.metadata;
    const failures: unknown[] = [];
    for (const destinationCidr of podCidrsOf(node)) {
      if (
        present.some((each) => isWanted(each) && each.targetNode === name && each.destinationCidr === destinationCidr)
      )
        continue;
      await routes.create(config.clusterName, uid, { targetNode: name, destinationCidr }).catch((error: unknown) => {
        failures.push(error);
        context.recorder.event(
          node,
          'Warning',
          'FailedToCreateRoute',
          `Could not create route ${uid} ${destinationCidr} for node ${name} after 0s: ${errorMessage(error)}`,
        );
      });
    }
    if (podCidrsOf(node).length > 0) await setNetworkUnavailable(context, node, failures.length > 0);
  }
}

async function setNetworkUnavailable(
  { client, clock, signal }: CloudControllerContext,
  node: Node,
  unavailable: boolean,
): Promise<void> {
  const status = unavailable ? 'True' : 'False';
  const before = node.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
  if (before?.status === status) return;
  const now = formatTime(clock.now());
  const condition: NodeCondition = {
    type: 'NetworkUnavailable',
    status,
    reason: unavailable ? 'NoRouteCreated' : 'RouteCreated',
    message: unavailable ? 'RouteController failed to create a route' : 'RouteController created a route',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  await client
    .resource('v1/nodes')
    .patch(
      { name: node.metadata.name! },
      { status: { conditions: [condition] } },
      { type: 'strategic', subresource: 'status', signal },
    );
}
