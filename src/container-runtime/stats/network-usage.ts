/** Network usage of a sandbox, from the counters of its interfaces. */
import fs from 'node:fs';
import type { NetworkInterfaceUsage } from '../../cri/index.ts';
import { inNetns } from '../../net/netns/index.ts';

export function readNetworkUsage(netns: string): NetworkInterfaceUsage[] {
  return parseNetDev(inNetns(netns, () => fs.readFileSync('/proc/thread-self/net/dev', 'utf8')));
}

/**
 * Parses /proc/net/dev: two header lines, then `name: rx bytes packets errs drop fifo frame compressed multicast, tx
 * bytes … errs`.
 */
export function parseNetDev(text: string): NetworkInterfaceUsage[] {
  return text
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const colon = line.indexOf(':');
      if (colon < 0) return [];
      const name = line.slice(0, colon).trim();
      const fields = line
        .slice(colon + 1)
        .trim()
        .split(/\s+/)
        .map(Number);
      if (name === 'lo') return [];
      return [
        {
          name,
          rxBytes: { value: fields[0] ?? 0 },
          rxErrors: { value: fields[2] ?? 0 },
          txBytes: { value: fields[8] ?? 0 },
          txErrors: { value: fields[10] ?? 0 },
        },
      ];
    });
}
