/** Writes the sandbox's resolv.conf, hostname and hosts files, which are mounted into its containers. */
import fs from 'node:fs';
import type { DNSConfig } from '../../cri/index.ts';
import type { SandboxPaths } from '../state-paths.ts';

const FALLBACK_HOSTS = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n';

export function resolvConf({ servers = [], searches = [], options = [] }: DNSConfig): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}`] : []),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length > 0 ? [`options ${options.join(' ')}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Without a DNS config the sandbox uses the host's resolv.conf. */
export function writeSandboxFiles(
  paths: SandboxPaths,
  { dns, hostname }: { dns: DNSConfig | undefined; hostname: string },
): void {
  const content = dns === undefined ? '' : resolvConf(dns);
  fs.writeFileSync(paths.resolvConf, content === '' ? readOr('/etc/resolv.conf', '') : content);
  fs.writeFileSync(paths.hostname, `${hostname}\n`);
  fs.writeFileSync(paths.hosts, readOr('/etc/hosts', FALLBACK_HOSTS));
}

function readOr(file: string, otherwise: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return otherwise;
  }
}
