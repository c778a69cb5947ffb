/** Learns the API servers of the cluster from the endpoints of the Service `kubernetes`. */
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { InformerFactory, type Client } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';

/** Runs until the context ends. */
export async function followServers(
  ctx: Context,
  client: Client,
  onServers: (servers: readonly string[]) => void,
): Promise<void> {
  const informers = new InformerFactory(ctx, { client });
  const slices = informers.informer('discovery.k8s.io/v1/endpointslices', {
    namespace: 'default',
    labelSelector: 'kubernetes.io/service-name=kubernetes',
  });
  let before = '';
  const tell = (): void => {
    const servers = [...new Set(slices.list().flatMap(serversOf))].sort();
    // A moment without any is not believed: then nobody could be asked any more.
    if (servers.length === 0 || servers.join() === before) return;
    before = servers.join();
    onServers(servers);
  };
  slices.addHandler({ onAdd: tell, onUpdate: tell, onDelete: tell });
  await informers.run();
}

function serversOf({ endpoints = [], ports }: EndpointSlice): string[] {
  const port = ports?.find(({ name }) => name === 'https')?.port ?? ports?.[0]?.port;
  if (port === undefined) return [];
  return endpoints
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses.map((address) => `https://${hostOf(address)}:${port}`));
}

const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address);
