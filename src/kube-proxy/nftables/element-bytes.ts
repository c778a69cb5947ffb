import { addressBytes } from '../../base/index.ts';
/** Elements as nft's language has them, for the kernel: the parts of keys and values as bytes. */
import {
  type ElementChanges,
  type ElementParts,
  type MapElements,
  type SetElements,
  type Verdict,
} from '../../net/netns/index.ts';
import type { Family } from '../service-plan.ts';
import { TABLE } from './base-table.ts';
import type { ContainerName } from './fragment.ts';

export interface ElementTexts {
  /** Per container, keys. */
  readonly deleted: ReadonlyMap<ContainerName, readonly string[]>;
  /** Per container, keys with values; '' in a set. */
  readonly added: ReadonlyMap<ContainerName, readonly (readonly [key: string, value: string])[]>;
}

const PROTOCOL_NUMBERS: ReadonlyMap<string, number> = new Map(Object.entries<number>({ tcp: 6, udp: 17, sctp: 132 }));
/** Maps of endpoints: the last part of their keys is a number that was drawn, not a port. */
const DRAWN = /endpoints-(tcp|udp|sctp)$/;

export function elementChanges(family: Family, { deleted, added }: ElementTexts): ElementChanges {
  const place = (set: ContainerName) => ({
    family: family === 'IPv4' ? ('ip' as const) : ('ip6' as const),
    table: TABLE,
    set,
  });
  return {
    remove: [...deleted].map(([container, keys]): SetElements => ({
      ...place(container),
      keys: keys.map((key) => keyParts(container, key)),
    })),
    add: [...added].map(([container, elements]): SetElements | MapElements =>
      elements.every(([, value]) => value === '')
        ? { ...place(container), keys: elements.map(([key]) => keyParts(container, key)) }
        : { ...place(container), entries: elements.map(([key, value]) => [keyParts(container, key), valueOf(value)]) },
    ),
  };
}

function keyParts(container: ContainerName, key: string): ElementParts {
  const parts = key.split(' . ');
  if (!DRAWN.test(container)) return parts.map(bytesOf);
  const drawn = Buffer.alloc(4);
  drawn.writeUInt32LE(Number(parts.at(-1)));
  return [...parts.slice(0, -1).map(bytesOf), drawn];
}

function valueOf(value: string): ElementParts | Verdict {
  if (value === 'drop') return { verdict: 'drop' };
  if (value.startsWith('goto ')) return { verdict: 'goto', chain: value.slice('goto '.length) };
  return value.split(' . ').map(bytesOf);
}

/** An address, a protocol or a port. */
function bytesOf(part: string): Buffer {
  const protocol = PROTOCOL_NUMBERS.get(part);
  if (protocol !== undefined) return Buffer.of(protocol);
  if (!/^\d+$/.test(part)) return addressBytes(part);
  const port = Buffer.alloc(2);
  port.writeUInt16BE(Number(part));
  return port;
}
