/** Encodes nftables set and map elements, written in nft's syntax, as the bytes that the kernel takes over netlink. */
import { addressBytes } from '../../base/index.ts';
import type { Family } from '../../component-helpers/index.ts';
import {
  type ElementChanges,
  type ElementParts,
  type MapElements,
  type SetElements,
  type Verdict,
} from '../../net/netns/index.ts';
import { TABLE } from './base-table.ts';
import type { SetName } from './service-rules.ts';

export interface ElementTexts {
  /** Keys by set or map. */
  readonly deleted: ReadonlyMap<SetName, readonly string[]>;
  /** Keys with values by set or map; a set's values are ''. */
  readonly added: ReadonlyMap<SetName, readonly (readonly [key: string, value: string])[]>;
}

const PROTOCOL_NUMBERS: ReadonlyMap<string, number> = new Map(Object.entries<number>({ tcp: 6, udp: 17, sctp: 132 }));
/** The maps of endpoints. The last part of their keys is the random number of `numgen`, not a port. */
const ENDPOINT_MAP = /endpoints-(tcp|udp|sctp)$/;

export function elementChanges(family: Family, { deleted, added }: ElementTexts): ElementChanges {
  const location = (set: SetName) => ({
    family: family === 'IPv4' ? ('ip' as const) : ('ip6' as const),
    table: TABLE,
    set,
  });
  return {
    remove: [...deleted].map(([set, keys]): SetElements => ({
      ...location(set),
      keys: keys.map((key) => keyParts(set, key)),
    })),
    add: [...added].map(([set, elements]): SetElements | MapElements =>
      elements.every(([, value]) => value === '')
        ? { ...location(set), keys: elements.map(([key]) => keyParts(set, key)) }
        : { ...location(set), entries: elements.map(([key, value]) => [keyParts(set, key), valueOf(value)]) },
    ),
  };
}

function keyParts(set: SetName, key: string): ElementParts {
  const parts = key.split(' . ');
  if (!ENDPOINT_MAP.test(set)) return parts.map(bytesOf);
  const index = Buffer.alloc(4);
  index.writeUInt32LE(Number(parts.at(-1)));
  return [...parts.slice(0, -1).map(bytesOf), index];
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
