/**
 * Elements of nftables sets and maps through nfnetlink: a fraction of a millisecond where starting `nft` takes ten.
 * Tables, sets and rules are written with `nft`; this is for what changes with every pod and every endpoint.
 *
 *     nfgenmsg  family u8 | version u8 | resource u16, big endian
 */
import { attribute, NLM_F_CREATE, zeroTerminated, type NetlinkRequest, type NetlinkSocket } from './netlink.ts';

const NFNL_SUBSYS_NFTABLES = 10;
const NFNL_MSG_BATCH_BEGIN = 16;
const NFNL_MSG_BATCH_END = 17;
const NFT_MSG_NEWSETELEM = (NFNL_SUBSYS_NFTABLES << 8) | 12;
const NFT_MSG_DELSETELEM = (NFNL_SUBSYS_NFTABLES << 8) | 14;
const NFTA_SET_ELEM_LIST_TABLE = 1;
const NFTA_SET_ELEM_LIST_SET = 2;
const NFTA_SET_ELEM_LIST_ELEMENTS = 3;
const NFTA_LIST_ELEM = 1;
const NFTA_SET_ELEM_KEY = 1;
const NFTA_SET_ELEM_DATA = 2;
const NFTA_DATA_VALUE = 1;
const NFTA_DATA_VERDICT = 2;
const NFTA_VERDICT_CODE = 1;
const NFTA_VERDICT_CHAIN = 2;
const VERDICT_CODES = { drop: 0, jump: -3, goto: -4 } as const;
const NLA_F_NESTED = 0x8000;
const FAMILIES = { inet: 1, ip: 2, arp: 3, ip6: 10 } as const;
/** An attribute, with all its elements, has at most 65,535 bytes. */
const MAX_LIST_BYTES = 60_000;

/** A key or a value as the parts of its type, in their order. */
export type ElementParts = readonly Buffer[];
export type Verdict = { readonly verdict: 'drop' } | { readonly verdict: 'goto' | 'jump'; readonly chain: string };

export interface SetElements {
  /** The table's family; inet when left out. */
  readonly family?: keyof typeof FAMILIES;
  readonly table: string;
  readonly set: string;
  readonly keys: readonly ElementParts[];
}

export interface MapElements extends Omit<SetElements, 'keys'> {
  readonly entries: readonly (readonly [key: ElementParts, value: ElementParts | Verdict])[];
}

/** Adds elements to several sets in one transaction. Existing elements are no error. */
export async function addSetElements(socket: NetlinkSocket, changes: readonly SetElements[]): Promise<void> {
  await changeElements(socket, { add: changes });
}

/** Deletes elements one by one. Missing elements, sets and tables are no error. */
export async function deleteSetElements(socket: NetlinkSocket, changes: readonly SetElements[]): Promise<void> {
  for (const change of changes) {
    for (const key of change.keys)
      await transact(
        socket,
        requests(NFT_MSG_DELSETELEM, { ...change, keys: [key] }).map((request) => ({ ...request, accept: ['ENOENT'] })),
      );
  }
}

export interface ElementChanges {
  /** Deleted before anything is added; a missing element fails the whole transaction. */
  readonly remove?: readonly SetElements[];
  readonly add?: readonly (SetElements | MapElements)[];
}

/** Changes elements of several sets and maps in one transaction. */
export async function changeElements(socket: NetlinkSocket, { remove = [], add = [] }: ElementChanges): Promise<void> {
  await transact(socket, [
    ...remove.flatMap((elements) => requests(NFT_MSG_DELSETELEM, elements)),
    ...add.flatMap((elements) => requests(NFT_MSG_NEWSETELEM, elements)),
  ]);
}

async function transact(socket: NetlinkSocket, changes: readonly NetlinkRequest[]): Promise<void> {
  await socket.send([frame(NFNL_MSG_BATCH_BEGIN), ...changes, frame(NFNL_MSG_BATCH_END)]);
}

const frame = (type: number): NetlinkRequest => ({
  type,
  flags: 0,
  body: header(0, NFNL_SUBSYS_NFTABLES),
  what: 'change nftables',
  unanswered: true,
});
const nested = (kind: number, parts: readonly Buffer[]): Buffer => attribute(kind | NLA_F_NESTED, parts);

function requests(type: number, elements: SetElements | MapElements): NetlinkRequest[] {
  const { family = 'inet', table, set } = elements;
  const encoded =
    'keys' in elements
      ? elements.keys.map((key) => element(key))
      : elements.entries.map(([key, value]) => element(key, value));
  return lists(encoded).map((list) => ({
    type,
    flags: type === NFT_MSG_NEWSETELEM ? NLM_F_CREATE : 0,
    body: Buffer.concat([
      header(FAMILIES[family], 0),
      attribute(NFTA_SET_ELEM_LIST_TABLE, zeroTerminated(table)),
      attribute(NFTA_SET_ELEM_LIST_SET, zeroTerminated(set)),
      nested(NFTA_SET_ELEM_LIST_ELEMENTS, list),
    ]),
    what: `change the set ${set} of the table ${table}`,
  }));
}

function element(key: ElementParts, value?: ElementParts | Verdict): Buffer {
  const parts = [nested(NFTA_SET_ELEM_KEY, [attribute(NFTA_DATA_VALUE, Buffer.concat(key.map(padded)))])];
  if (value !== undefined)
    parts.push(
      nested(NFTA_SET_ELEM_DATA, [
        isVerdict(value)
          ? nested(NFTA_DATA_VERDICT, verdict(value))
          : attribute(NFTA_DATA_VALUE, Buffer.concat(value.map(padded))),
      ]),
    );
  return nested(NFTA_LIST_ELEM, parts);
}

const isVerdict = (value: ElementParts | Verdict): value is Verdict => 'verdict' in value;

function verdict(value: Verdict): Buffer[] {
  const code = Buffer.alloc(4);
  code.writeInt32BE(VERDICT_CODES[value.verdict]);
  return [
    attribute(NFTA_VERDICT_CODE, code),
    ...('chain' in value ? [attribute(NFTA_VERDICT_CHAIN, zeroTerminated(value.chain))] : []),
  ];
}

function lists(elements: readonly Buffer[]): Buffer[][] {
  const all: Buffer[][] = [];
  let room = 0;
  for (const each of elements) {
    if (each.length > room) {
      all.push([]);
      room = MAX_LIST_BYTES;
    }
    all.at(-1)!.push(each);
    room -= each.length;
  }
  return all;
}

function header(family: number, resource: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeUInt8(family, 0);
  body.writeUInt16BE(resource, 2);
  return body;
}

/** Parts of a key begin at multiples of four bytes. */
const padded = (part: Buffer): Buffer => Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
