/** Speaks for the addresses of LoadBalancer Services that are this machine's turn. */
import type { Node, Service } from '../../api/generated/core-v1.ts';
import { AddressRange } from '../../base/index.ts';
import { InformerFactory, type Client } from '../../client/index.ts';
import { childContext, RunGroup, type Context } from '../../kernel/index.ts';
import { sendFrames } from '../../net/netns/index.ts';
import type { MachineLink } from '../machine-network/index.ts';
import { gratuitousArp, neighborAdvertisement } from './announcement.ts';
import { chooseSpeaker } from './choose-speaker.ts';
import { Heartbeats, type Peer } from './heartbeats.ts';
import { SpeakingTable } from './speaking-table.ts';

const TICK_MS = 250;
/** How often a new speaker tells the link: frames can be lost. */
const ANNOUNCEMENTS = 4;
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

interface SpeakerOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly link: MachineLink;
  readonly pool: readonly string[];
}

export async function runLoadBalancerSpeaker(outer: Context, options: SpeakerOptions): Promise<void> {
  const ctx = childContext(outer, 'load-balancer-speaker');
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client: options.client });
  const services = informers.informer('v1/services');
  const nodes = informers.informer('v1/nodes');
  group.start('informers', () => informers.run());
  group.start('speaker', async (signal) => {
    const heartbeats = await Heartbeats.open(ctx.clock, options.link.address);
    const table = await SpeakingTable.open(options.pool, options.link.index);
    const announced = new Map<string, number>();
    let known = '';
    try {
      await informers.waitForSync(signal);
      while (!signal.aborted) {
        const peers = peersOf(nodes.list(), options);
        heartbeats.send(peers);
        const alive = [options.nodeName, ...peers.filter((peer) => heartbeats.isAlive(peer)).map(({ name }) => name)];
        // Whoever was cut off has heard nobody, and nobody has heard it.
        if (alive.join() !== known) announced.clear();
        known = alive.join();
        const own = addressesOf(services.list(), options.pool).filter(
          (address) => chooseSpeaker(address, alive) === options.nodeName,
        );
        await table
          .speak(own)
          .then(() => announce(options.link, own, announced))
          .catch((error: unknown) => ctx.logger.error(error, 'Failed to speak for addresses of load balancers'));
        await ctx.clock.sleep(TICK_MS, signal).catch(() => {});
      }
    } finally {
      await table.speak([]).catch(() => undefined);
      heartbeats.close();
      table.close();
    }
  });
  await group.wait();
}

function announce({ index, mac }: MachineLink, own: readonly string[], announced: Map<string, number>): void {
  for (const address of announced.keys()) if (!own.includes(address)) announced.delete(address);
  for (const address of own) {
    const times = announced.get(address) ?? 0;
    if (times >= ANNOUNCEMENTS || mac === undefined) continue;
    announced.set(address, times + 1);
    sendFrames(index, address.includes(':') ? [neighborAdvertisement(address, mac)] : gratuitousArp(address, mac));
  }
}

/** Other machines that may speak: those of the same family, whether on the link shows whether they are heard. */
const peersOf = (nodes: readonly Node[], { nodeName, link }: SpeakerOptions): Peer[] =>
  nodes.flatMap(({ metadata, status }) => {
    const address = status?.addresses?.find(
      (each) => each.type === 'InternalIP' && each.address.includes(':') === link.address.includes(':'),
    )?.address;
    const isOther = metadata.name !== nodeName && metadata.labels?.[EXCLUDED] === undefined;
    return address !== undefined && isOther ? [{ name: metadata.name ?? '', address }] : [];
  });

const addressesOf = (services: readonly Service[], pool: readonly string[]): string[] => {
  const ranges = pool.map((cidr) => AddressRange.parse(cidr));
  return services
    .filter(({ spec }) => spec?.type === 'LoadBalancer')
    .flatMap(({ status }) => (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []))
    .filter((address) => ranges.some((range) => range.contains(address)));
};

/** Removes what the speaker has made on the machine. */
export const removeLoadBalancerSpeaker = (pool: readonly string[]): Promise<void> => SpeakingTable.remove(pool);
