/**
 * The host's forwarding, for clusters with egress. What the settings were is kept beside the claims until the last such
 * cluster is gone, and then they are as before.
 */
import fs from 'node:fs';
import path from 'node:path';
import { inNetns, lockFile, readSysctl, writeSysctl } from '../../net/netns/index.ts';

const fileOf = (stateDirectory: string): string => path.join(stateDirectory, 'forwarding-before.json');
const lock = (stateDirectory: string) => lockFile(path.join(stateDirectory, 'fabric.lock'));

interface HostForwarding {
  readonly stateDirectory: string;
  readonly hostNetns: string | undefined;
}

export function enableForwarding({
  stateDirectory,
  hostNetns,
  families,
}: HostForwarding & { families: readonly ('IPv4' | 'IPv6')[] }): void {
  const held = lock(stateDirectory);
  try {
    const file = fileOf(stateDirectory);
    // Our own file.
    const before = (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}) as Record<string, string>;
    const wanted: [name: string, value: string][] = [];
    if (families.includes('IPv4')) wanted.push(['net/ipv4/ip_forward', '1']);
    if (families.includes('IPv6'))
      wanted.push(...keepRouterAdvertisements(hostNetns), ['net/ipv6/conf/all/forwarding', '1']);
    for (const [name, value] of wanted) {
      const now = readSysctl(hostNetns, name);
      if (now === undefined || now === value) continue;
      before[name] ??= now;
      fs.writeFileSync(file, JSON.stringify(before));
      writeSysctl(hostNetns, name, value);
    }
  } finally {
    held.release();
  }
}

/**
 * A machine that forwards IPv6 ignores router advertisements, and would lose its default route, unless accept_ra is 2.
 */
function keepRouterAdvertisements(hostNetns: string | undefined): [name: string, value: string][] {
  const directory = '/proc/sys/net/ipv6/conf';
  return inNetns(hostNetns, () => (fs.existsSync(directory) ? fs.readdirSync(directory) : []))
    .map((name): [string, string] => [`net/ipv6/conf/${name}/accept_ra`, '2'])
    .filter(([name]) => readSysctl(hostNetns, name) === '1');
}

/** When no cluster with egress is left. */
export function restoreForwarding({ stateDirectory, hostNetns }: HostForwarding): void {
  const held = lock(stateDirectory);
  try {
    const file = fileOf(stateDirectory);
    if (!fs.existsSync(file)) return;
    const before = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, string>;
    for (const [name, value] of Object.entries(before).reverse()) {
      if (readSysctl(hostNetns, name) !== undefined) writeSysctl(hostNetns, name, value);
    }
    fs.rmSync(file, { force: true });
  } finally {
    held.release();
  }
}
