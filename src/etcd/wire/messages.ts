import {
  bytes,
  flag,
  id,
  key,
  type Message,
  message,
  nested,
  nestedList,
  number,
  repeated,
  signedId,
  text,
} from './message.ts';

/** etcd's messages (etcdserverpb and mvccpb): field names and numbers of its v3 API. */
const ResponseHeader = message('ResponseHeader', {
  clusterId: id(1),
  memberId: id(2),
  revision: number(3),
  raftTerm: id(4),
});

export const KeyValue = message('KeyValue', {
  key: key(1),
  createRevision: number(2),
  modRevision: number(3),
  version: number(4),
  value: bytes(5),
  lease: signedId(6),
});

const header = nested(1, () => ResponseHeader);
const keyValue = (fieldNumber: number) => nested(fieldNumber, () => KeyValue);
const keyValues = (fieldNumber: number) => nestedList(fieldNumber, () => KeyValue);

export const Event = message('Event', { type: number(1), kv: keyValue(2), prevKv: keyValue(3) });

export const RangeRequest = message('RangeRequest', {
  key: key(1),
  rangeEnd: key(2),
  limit: number(3),
  revision: number(4),
  sortOrder: number(5),
  sortTarget: number(6),
  serializable: flag(7),
  keysOnly: flag(8),
  countOnly: flag(9),
  minModRevision: number(10),
  maxModRevision: number(11),
  minCreateRevision: number(12),
  maxCreateRevision: number(13),
});
export const RangeResponse = message('RangeResponse', { header, kvs: keyValues(2), more: flag(3), count: number(4) });

export const PutRequest = message('PutRequest', {
  key: key(1),
  value: bytes(2),
  lease: signedId(3),
  prevKv: flag(4),
  ignoreValue: flag(5),
  ignoreLease: flag(6),
});
export const PutResponse = message('PutResponse', { header, prevKv: keyValue(2) });

export const DeleteRangeRequest = message('DeleteRangeRequest', { key: key(1), rangeEnd: key(2), prevKv: flag(3) });
export const DeleteRangeResponse = message('DeleteRangeResponse', {
  header,
  deleted: number(2),
  prevKvs: keyValues(3),
});

export const Compare = message('Compare', {
  result: number(1),
  target: number(2),
  key: key(3),
  version: number(4),
  createRevision: number(5),
  modRevision: number(6),
  value: bytes(7),
  lease: signedId(8),
  rangeEnd: key(64),
});

type Decoded<M> = M extends Message<infer T> ? T : never;
export type RangeRequestMessage = Decoded<typeof RangeRequest>;
type RangeResponseMessage = Decoded<typeof RangeResponse>;
export type PutRequestMessage = Decoded<typeof PutRequest>;
type PutResponseMessage = Decoded<typeof PutResponse>;
export type DeleteRangeRequestMessage = Decoded<typeof DeleteRangeRequest>;
type DeleteRangeResponseMessage = Decoded<typeof DeleteRangeResponse>;
export type CompareMessage = Decoded<typeof Compare>;
export type KeyValueMessage = Decoded<typeof KeyValue>;
export type EventMessage = Decoded<typeof Event>;
export type HeaderMessage = Decoded<typeof ResponseHeader>;
export type WatchRequestMessage = Decoded<typeof WatchRequest>;
export type WatchCreateMessage = Decoded<typeof WatchCreateRequest>;
export type WatchResponseMessage = Decoded<typeof WatchResponse>;
export interface RequestOpMessage {
  range: RangeRequestMessage | undefined;
  put: PutRequestMessage | undefined;
  deleteRange: DeleteRangeRequestMessage | undefined;
  txn: TxnRequestMessage | undefined;
}
export interface TxnRequestMessage {
  compare: CompareMessage[];
  success: RequestOpMessage[];
  failure: RequestOpMessage[];
}
export interface ResponseOpMessage {
  range: Partial<RangeResponseMessage> | undefined;
  put: Partial<PutResponseMessage> | undefined;
  deleteRange: Partial<DeleteRangeResponseMessage> | undefined;
  txn: TxnResponseMessage | undefined;
}
export interface TxnResponseMessage {
  header: Partial<HeaderMessage> | undefined;
  succeeded: boolean;
  responses: Partial<ResponseOpMessage>[];
}

/** Transactions nest, so their types are written out. */
const RequestOp: Message<RequestOpMessage> = message('RequestOp', {
  range: nested(1, () => RangeRequest),
  put: nested(2, () => PutRequest),
  deleteRange: nested(3, () => DeleteRangeRequest),
  txn: nested(4, () => TxnRequest),
});
export const TxnRequest: Message<TxnRequestMessage> = message('TxnRequest', {
  compare: nestedList(1, () => Compare),
  success: nestedList(2, () => RequestOp),
  failure: nestedList(3, () => RequestOp),
});
const ResponseOp: Message<ResponseOpMessage> = message('ResponseOp', {
  range: nested(1, () => RangeResponse as unknown as Message<Partial<RangeResponseMessage>>),
  put: nested(2, () => PutResponse as unknown as Message<Partial<PutResponseMessage>>),
  deleteRange: nested(3, () => DeleteRangeResponse as unknown as Message<Partial<DeleteRangeResponseMessage>>),
  txn: nested(4, () => TxnResponse),
});
export const TxnResponse: Message<TxnResponseMessage> = message('TxnResponse', {
  header: nested(1, () => ResponseHeader as unknown as Message<Partial<HeaderMessage>>),
  succeeded: flag(2),
  responses: nestedList(3, () => ResponseOp as unknown as Message<Partial<ResponseOpMessage>>),
});

export const CompactionRequest = message('CompactionRequest', { revision: number(1), physical: flag(2) });
/** The response of every method that returns only a header. */
export const HeaderOnly = message('HeaderOnly', { header });

export const WatchCreateRequest = message('WatchCreateRequest', {
  key: key(1),
  rangeEnd: key(2),
  startRevision: number(3),
  progressNotify: flag(4),
  filters: repeated(number(5)),
  prevKv: flag(6),
  watchId: number(7),
  fragment: flag(8),
});
export const WatchRequest = message('WatchRequest', {
  create: nested(1, () => WatchCreateRequest),
  cancel: nested(2, () => WatchCancelRequest),
  progress: nested(3, () => Empty),
});
const WatchCancelRequest = message('WatchCancelRequest', { watchId: number(1) });
export const WatchResponse = message('WatchResponse', {
  header,
  watchId: number(2),
  created: flag(3),
  canceled: flag(4),
  compactRevision: number(5),
  cancelReason: text(6),
  fragment: flag(7),
  events: nestedList(11, () => Event),
});

export const LeaseGrantRequest = message('LeaseGrantRequest', { ttl: number(1), id: signedId(2) });
export const LeaseGrantResponse = message('LeaseGrantResponse', {
  header,
  id: signedId(2),
  ttl: number(3),
  error: text(4),
});
export const LeaseId = message('LeaseId', { id: signedId(1) });
export const LeaseKeepAliveResponse = message('LeaseKeepAliveResponse', { header, id: signedId(2), ttl: number(3) });
export const LeaseTimeToLiveRequest = message('LeaseTimeToLiveRequest', { id: signedId(1), keys: flag(2) });
export const LeaseTimeToLiveResponse = message('LeaseTimeToLiveResponse', {
  header,
  id: signedId(2),
  ttl: number(3),
  grantedTtl: number(4),
  keys: repeated(key(5)),
});
export const LeaseLeasesResponse = message('LeaseLeasesResponse', { header, leases: nestedList(2, () => LeaseId) });

const Member = message('Member', {
  id: id(1),
  name: text(2),
  peerUrls: repeated(text(3)),
  clientUrls: repeated(text(4)),
  isLearner: flag(5),
});
export const MemberListResponse = message('MemberListResponse', { header, members: nestedList(2, () => Member) });

export const MemberAddRequest = message('MemberAddRequest', { peerUrls: repeated(text(1)), isLearner: flag(2) });
export const MemberAddResponse = message('MemberAddResponse', {
  header,
  member: nested(2, () => Member),
  members: nestedList(3, () => Member),
});
/** The request to remove a member, or to promote it. */
export const MemberId = message('MemberId', { id: id(1) });

export const AlarmRequest = message('AlarmRequest', { action: number(1), memberId: id(2), alarm: number(3) });
export const AlarmMember = message('AlarmMember', { memberId: id(1), alarm: number(2) });
export const AlarmResponse = message('AlarmResponse', { header, alarms: nestedList(2, () => AlarmMember) });
export const StatusResponse = message('StatusResponse', {
  header,
  version: text(2),
  dbSize: number(3),
  leader: id(4),
  raftIndex: id(5),
  raftTerm: id(6),
  raftAppliedIndex: id(7),
  errors: repeated(text(8)),
  dbSizeInUse: number(9),
  isLearner: flag(10),
  storageVersion: text(11),
  dbSizeQuota: number(12),
});
export const HashResponse = message('HashResponse', { header, hash: number(2) });
export const HashKvRequest = message('HashKvRequest', { revision: number(1) });
export const HashKvResponse = message('HashKvResponse', {
  header,
  hash: number(2),
  compactRevision: number(3),
  hashRevision: number(4),
});
export const SnapshotResponse = message('SnapshotResponse', {
  header,
  remainingBytes: number(2),
  blob: bytes(3),
  version: text(4),
});
export const MoveLeaderRequest = message('MoveLeaderRequest', { targetId: id(1) });
export const AuthStatusResponse = message('AuthStatusResponse', { header, enabled: flag(2), authRevision: id(3) });
export const Empty = message('Empty', {});
