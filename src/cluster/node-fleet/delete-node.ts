/** Deletes a node from the API, and the pods that it had. */
import { isNotFound, type Client } from '../../client/index.ts';

export async function deleteNode(client: Client, name: string): Promise<void> {
  await client.resource('v1/nodes').delete({ name }).catch(unlessGone);
}

/** For a node whose containers have ended: the pod garbage collector would delete its pods a minute later. */
export async function deletePodsOf(client: Client, node: string): Promise<void> {
  const { items } = await client.resource('v1/pods').list({ fieldSelector: `spec.nodeName=${node}` });
  await Promise.all(
    items.map(({ metadata }) =>
      client
        .resource('v1/pods')
        .delete({ name: metadata.name!, namespace: metadata.namespace! }, { gracePeriodSeconds: 0 })
        .catch(unlessGone),
    ),
  );
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
