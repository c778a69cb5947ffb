import {
  AlarmRequest,
  AlarmResponse,
  CompactionRequest,
  Empty,
  HashKvRequest,
  HashKvResponse,
  HeaderOnly,
  LeaseGrantRequest,
  LeaseGrantResponse,
  LeaseId,
  LeaseKeepAliveResponse,
  LeaseLeasesResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
  MemberAddRequest,
  MemberAddResponse,
  MemberId,
  MemberListResponse,
  MoveLeaderRequest,
  RangeRequest,
  RangeResponse,
  SnapshotResponse,
  StatusResponse,
  TxnRequest,
  TxnResponse,
  WatchRequest,
  WatchResponse,
} from '../wire/messages.ts';

/** The unary methods that the client uses. */
export const calls = {
  range: { path: '/etcdserverpb.KV/Range', request: RangeRequest, response: RangeResponse },
  txn: { path: '/etcdserverpb.KV/Txn', request: TxnRequest, response: TxnResponse },
  compact: { path: '/etcdserverpb.KV/Compact', request: CompactionRequest, response: HeaderOnly },
  leaseGrant: { path: '/etcdserverpb.Lease/LeaseGrant', request: LeaseGrantRequest, response: LeaseGrantResponse },
  leaseRevoke: { path: '/etcdserverpb.Lease/LeaseRevoke', request: LeaseId, response: HeaderOnly },
  leaseTimeToLive: {
    path: '/etcdserverpb.Lease/LeaseTimeToLive',
    request: LeaseTimeToLiveRequest,
    response: LeaseTimeToLiveResponse,
  },
  leases: { path: '/etcdserverpb.Lease/LeaseLeases', request: Empty, response: LeaseLeasesResponse },
  status: { path: '/etcdserverpb.Maintenance/Status', request: Empty, response: StatusResponse },
  alarm: { path: '/etcdserverpb.Maintenance/Alarm', request: AlarmRequest, response: AlarmResponse },
  defragment: { path: '/etcdserverpb.Maintenance/Defragment', request: Empty, response: HeaderOnly },
  moveLeader: { path: '/etcdserverpb.Maintenance/MoveLeader', request: MoveLeaderRequest, response: HeaderOnly },
  memberList: { path: '/etcdserverpb.Cluster/MemberList', request: Empty, response: MemberListResponse },
  memberAdd: { path: '/etcdserverpb.Cluster/MemberAdd', request: MemberAddRequest, response: MemberAddResponse },
  memberPromote: { path: '/etcdserverpb.Cluster/MemberPromote', request: MemberId, response: MemberListResponse },
  memberRemove: { path: '/etcdserverpb.Cluster/MemberRemove', request: MemberId, response: MemberListResponse },
  hashKv: { path: '/etcdserverpb.Maintenance/HashKV', request: HashKvRequest, response: HashKvResponse },
} as const;

/** The streaming methods. */
export const streams = {
  watch: { path: '/etcdserverpb.Watch/Watch', request: WatchRequest, response: WatchResponse },
  leaseKeepAlive: {
    path: '/etcdserverpb.Lease/LeaseKeepAlive',
    request: LeaseId,
    response: LeaseKeepAliveResponse,
  },
  snapshot: { path: '/etcdserverpb.Maintenance/Snapshot', request: Empty, response: SnapshotResponse },
} as const;
