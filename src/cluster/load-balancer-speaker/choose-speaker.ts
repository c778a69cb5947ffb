/** Pure: which machine speaks for an address. */
import { createHash } from 'node:crypto';

/**
 * Rendezvous hashing: every machine with the same view chooses the same one, and addresses of machines that stay keep
 * theirs when another comes or goes.
 */
export function chooseSpeaker(address: string, nodes: readonly string[]): string | undefined {
  const rank = (node: string): string => createHash('sha256').update(`${address}/${node}`).digest('hex');
  return nodes.reduce<string | undefined>(
    (best, node) => (best === undefined || rank(node) > rank(best) ? node : best),
    undefined,
  );
}
