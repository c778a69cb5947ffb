/** Which sockets a process listens on, as the kernel tells it: of its own network namespace. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ListeningSocket {
  readonly protocol: 'tcp' | 'udp';
  readonly address: string;
  readonly port: number;
}

/** In /proc/PID/net/tcp; UDP sockets that are not connected have the other one. */
const STATES = { tcp: '0A', udp: '07' } as const;

export function listeningSockets(pid: number): ListeningSocket[] {
  const inodes = socketInodes(pid);
  return (['tcp', 'tcp6', 'udp', 'udp6'] as const).flatMap((table) => {
    const protocol = table.startsWith('tcp') ? 'tcp' : 'udp';
    const rows = readFileSync(`/proc/${pid}/net/${table}`, 'latin1').trim().split('\n').slice(1);
    return rows.flatMap((row) => {
      const fields = row.trim().split(/ +/);
      const [local = '', state, inode = ''] = [fields[1], fields[3], fields[9]];
      if (state !== STATES[protocol] || !inodes.has(inode)) return [];
      const [address = '', port = ''] = local.split(':');
      return [{ protocol, address: addressText(address), port: Number.parseInt(port, 16) } satisfies ListeningSocket];
    });
  });
}

function socketInodes(pid: number): Set<string> {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((file) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${file}`))?.[1] ?? [];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
  return new Set(inodes);
}

/** The kernel prints addresses as 32-bit words in the machine's byte order. */
function addressText(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const words = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return words.join(':') === '0:0:0:0:0:0:0:1' ? '::1' : words.join(':');
}
