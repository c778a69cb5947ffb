/**
 * cloud-node-controller: initializes new Nodes with their provider id, addresses and topology labels, and removes the
 * taint that kept pods off until then. Later it keeps the addresses up to date.
 */
import type { Node, NodeSpec } from '../api/generated/core-v1.ts';
import { enqueueOnChange } from '../client/index.ts';
import { periodically, type CloudController, type CloudControllerContext } from './controller.ts';
import { keyedLoop } from './keyed-loop.ts';
import type { InstanceMetadata } from './provider.ts';

export const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';
const PROVIDED_NODE_IP = 'alpha.kubernetes.io/provided-node-ip';

export const cloudNodeController: CloudController = {
  eventSource: 'cloud-node-controller',
  build(context) {
    const { informers, provider, config, signal } = context;
    const { instances } = provider;
    if (!instances) return undefined;
    const nodes = informers.informer('v1/nodes');
    const { queue, run } = keyedLoop(context, 'cloud_node', async (name, worker) => {
      const node = nodes.get(name);
      if (node && isUninitialized(node)) await initialize(worker, node, await instances.metadata(node));
    });
    enqueueOnChange(nodes, queue, (node) => (isUninitialized(node) ? node.metadata.name : undefined));
    return async () => {
      await Promise.all([
        run(),
        periodically(context, config.nodeStatusUpdateFrequencyMs, async () => {
          for (const node of nodes.list())
            if (!signal.aborted && !isUninitialized(node))
              await updateAddresses(context, node, await instances.metadata(node));
        }),
      ]);
    };
  },
};

const isUninitialized = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED_TAINT);

async function initialize(context: CloudControllerContext, node: Node, metadata: InstanceMetadata): Promise<void> {
  const { client, signal, recorder } = context;
  const { name = '' } = node.metadata;
  await updateAddresses(context, node, metadata);
  const spec: Partial<NodeSpec> = {
    ...(node.spec?.providerID ? {} : { providerID: metadata.providerId }),
    taints: (node.spec?.taints ?? []).filter(({ key }) => key !== UNINITIALIZED_TAINT),
  };
  // The resourceVersion protects taints that another client adds at the same time.
  await client
    .resource('v1/nodes')
    .patch(
      { name },
      { metadata: { resourceVersion: await resourceVersionOf(context, name), labels: labelsOf(metadata) }, spec },
      { type: 'merge', signal },
    );
  recorder.event(node, 'Normal', 'Synced', 'Node synced successfully');
}

async function resourceVersionOf(
  { client, signal }: CloudControllerContext,
  name: string,
): Promise<string | undefined> {
  return (await client.resource('v1/nodes').get({ name }, { signal })).metadata.resourceVersion;
}

function labelsOf({ instanceType, zone, region, additionalLabels }: InstanceMetadata): Record<string, string> {
  return {
    ...additionalLabels,
    ...(instanceType
      ? { 'node.kubernetes.io/instance-type': instanceType, 'beta.kubernetes.io/instance-type': instanceType }
      : {}),
    ...(zone ? { 'topology.kubernetes.io/zone': zone, 'failure-domain.beta.kubernetes.io/zone': zone } : {}),
    ...(region ? { 'topology.kubernetes.io/region': region, 'failure-domain.beta.kubernetes.io/region': region } : {}),
  };
}

/** The address of the kubelet's `--node-ip` comes first. */
async function updateAddresses(
  { client, signal }: CloudControllerContext,
  node: Node,
  { addresses }: InstanceMetadata,
): Promise<void> {
  if (addresses.length === 0) return;
  const nodeIp = node.metadata.annotations?.[PROVIDED_NODE_IP];
  if (nodeIp !== undefined && !addresses.some(({ address }) => address === nodeIp))
    throw new Error(`failed to find the node IP ${nodeIp} of node ${node.metadata.name} in the cloud provider`);
  const hostname = (node.status?.addresses ?? []).filter(
    ({ type }) => type === 'Hostname' && !addresses.some((known) => known.type === 'Hostname'),
  );
  const all = [
    ...addresses.filter(({ address }) => address === nodeIp),
    ...addresses.filter(({ address }) => address !== nodeIp),
    ...hostname,
  ];
  if (JSON.stringify(all) === JSON.stringify(node.status?.addresses)) return;
  await client
    .resource('v1/nodes')
    .patch(
      { name: node.metadata.name! },
      { status: { addresses: all } },
      { type: 'merge', subresource: 'status', signal },
    );
}
