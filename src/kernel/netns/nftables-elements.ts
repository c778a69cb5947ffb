/**
 * Elements of nftables sets through nfnetlink: a fraction of a millisecond where starting `nft` takes ten. Tables, sets
 * and rules are written with `nft`; this is for what changes with every pod.
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
const NFTA_DATA_VALUE = 1;
const NLA_F_NESTED = 0x8000;
const NFPROTO_INET = 1;

export interface SetElements {
  /** A table of the family inet. */
  readonly table: string;
  readonly set: string;
  /** Each as the parts of the set's type, in their order. */
  readonly keys: readonly (readonly Buffer[])[];
}

/** Several sets at once: all or nothing. Elements that are there already are fine. */
export async function addSetElements(socket: NetlinkSocket, changes: readonly SetElements[]): Promise<void> {
  await change(socket, changes.map((elements) => request(NFT_MSG_NEWSETELEM, elements)));
}

/** One by one: elements, sets and tables that are gone already are fine. */
export async function deleteSetElements(socket: NetlinkSocket, changes: readonly SetElements[]): Promise<void> {
  for (const { table, set, keys } of changes) {
    for (const key of keys) await change(socket, [{ ...request(NFT_MSG_DELSETELEM, { table, set, keys: [key] }), accept: ['ENOENT'] }]);
  }
}

async function change(socket: NetlinkSocket, requests: readonly NetlinkRequest[]): Promise<void> {
  await socket.send([frame(NFNL_MSG_BATCH_BEGIN), ...requests, frame(NFNL_MSG_BATCH_END)]);
}

const frame = (type: number): NetlinkRequest => ({ type, flags: 0, body: header(0, NFNL_SUBSYS_NFTABLES), what: 'change nftables', unanswered: true });

function request(type: number, { table, set, keys }: SetElements): NetlinkRequest {
  const nested = (kind: number, parts: readonly Buffer[]): Buffer => attribute(kind | NLA_F_NESTED, parts);
  const elements = keys.map((key) => nested(NFTA_LIST_ELEM, [nested(NFTA_SET_ELEM_KEY, [attribute(NFTA_DATA_VALUE, Buffer.concat(key.map(padded)))])]));
  const body = Buffer.concat([
    header(NFPROTO_INET, 0),
    attribute(NFTA_SET_ELEM_LIST_TABLE, zeroTerminated(table)),
    attribute(NFTA_SET_ELEM_LIST_SET, zeroTerminated(set)),
    nested(NFTA_SET_ELEM_LIST_ELEMENTS, elements),
  ]);
  return { type, flags: type === NFT_MSG_NEWSETELEM ? NLM_F_CREATE : 0, body, what: `change the set ${set} of the table ${table}` };
}

function header(family: number, resource: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeUInt8(family, 0);
  body.writeUInt16BE(resource, 2);
  return body;
}

/** Parts of a key begin at multiples of four bytes. */
const padded = (part: Buffer): Buffer => Buffer.concat([part, Buffer.alloc((4 - (part.length % 4)) % 4)]);
