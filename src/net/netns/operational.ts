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
  /** The addresses of the interface. */
  readonly addresses?: readonly string[];
}

/**
 * Waits until interfaces are operational and their addresses are usable. The kernel updates bridges, queues and IPv6
 * some milliseconds after it has acknowledged a request; an earlier packet would be lost, and be sent again only after
 * a second. Returns without an error when that takes longer than some tenths of a second.
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
