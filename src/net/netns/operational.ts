/** Waits for what the kernel finishes after it has acknowledged a request. */
import type { Clock } from '../../kernel/index.ts';
import { findLink } from './links.ts';
import type { NetlinkSocket } from './netlink.ts';
import { isLocalAddress } from './routes.ts';

/** How often the kernel is polled: some tenths of a second in all. */
const ATTEMPTS = 400;

interface InterfaceEnd {
  readonly socket: NetlinkSocket;
  readonly name: string;
  /** Addresses that it has been given. */
  readonly addresses?: readonly string[];
}

/**
 * Waits until interfaces carry frames and answer to their addresses. The kernel tells bridges and queues of a new
 * connection some milliseconds later, and IPv6 of a new address; a first packet before that would be lost, and sent
 * again only after a second. Gives up silently: what is late then is no reason to fail.
 */
export async function untilOperational(clock: Pick<Clock, 'yield'>, ends: readonly InterfaceEnd[]): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if ((await Promise.all(ends.map(isOperational))).every(Boolean)) return;
    await clock.yield();
  }
}

async function isOperational({ socket, name, addresses = [] }: InterfaceEnd): Promise<boolean> {
  const link = await findLink(socket, name);
  if (link?.operational === false) return false;
  return (await Promise.all(addresses.map((address) => isLocalAddress(socket, address)))).every(Boolean);
}
