import { etcdSnapshot } from '../bbolt/etcd-snapshot.ts';
import { alarmOfMessage, messageOfAlarm } from '../wire/convert.ts';
import {
  AlarmRequest,
  AlarmResponse,
  Empty,
  HashKvRequest,
  HashKvResponse,
  HashResponse,
  HeaderOnly,
  MoveLeaderRequest,
  SnapshotResponse,
  StatusResponse,
} from '../wire/messages.ts';
import { GrpcCode, GrpcError } from '../wire/status.ts';
import { type FrontContext, framed, headerNow, headerOf, method, minorVersion } from './answers.ts';
import type { Handler } from './grpc-server.ts';
import type { StreamCall } from './stream-call.ts';

const ALARM_ACTIVATE = 1;
const ALARM_DEACTIVATE = 2;
const BLOB_BYTES = 32 * 1024;

export function maintenanceService(front: FrontContext): Record<string, Handler> {
  const { store } = front;
  const snapshot = async (call: StreamCall): Promise<void> => {
    const { version } = await store.status();
    for await (const chunk of etcdSnapshot(store, front.snapshotDirectory)) {
      for (let start = 0; start < chunk.length; start += BLOB_BYTES) {
        if (call.signal.aborted) return;
        call.send(framed(SnapshotResponse, { blob: chunk.subarray(start, start + BLOB_BYTES), version }));
      }
      await call.ready();
    }
  };
  return {
    Alarm: method(AlarmRequest, AlarmResponse, async (request) => {
      const alarm = alarmOfMessage(request);
      if (request.action === ALARM_ACTIVATE) {
        throw new GrpcError(GrpcCode.UNIMPLEMENTED, 'k8ts etcd does not let clients raise alarms');
      }
      if (request.action !== ALARM_DEACTIVATE) {
        return { header: await headerNow(front), alarms: (await store.alarms()).map(messageOfAlarm) };
      }
      const raised = (await store.alarms()).filter((one) => alarm === undefined || one.alarm === alarm.alarm);
      for (const one of raised) await store.disarm(one);
      return { header: await headerNow(front), alarms: raised.map(messageOfAlarm) };
    }),
    Status: method(Empty, StatusResponse, async () => {
      const status = await store.status();
      const { version, dbSize, dbSizeInUse, leader, raftIndex, raftTerm, errors } = status;
      return {
        header: headerOf(front, status.revision),
        version,
        dbSize,
        dbSizeInUse,
        leader,
        raftIndex,
        raftTerm,
        raftAppliedIndex: raftIndex,
        errors,
        storageVersion: minorVersion(version),
        dbSizeQuota: front.quotaBytes,
      };
    }),
    Defragment: method(Empty, HeaderOnly, async () => {
      await store.defragment();
      return { header: await headerNow(front) };
    }),
    Hash: method(Empty, HashResponse, async () => ({
      hash: (await store.hash()).hash,
      header: await headerNow(front),
    })),
    HashKV: method(HashKvRequest, HashKvResponse, async (request) => {
      const { hash, compactRevision, revision } = await store.hash(request.revision);
      return { header: await headerNow(front), hash, compactRevision, hashRevision: revision };
    }),
    Snapshot: { stream: snapshot },
    MoveLeader: method(MoveLeaderRequest, HeaderOnly, async () => {
      throw new GrpcError(GrpcCode.FAILED_PRECONDITION, 'etcdserver: bad leader transferee');
    }),
    Downgrade: refusal('k8ts etcd does not support downgrades'),
  };
}

/** A method of etcd's that is not implemented, refused by name. */
export function refusal(message: string, code: number = GrpcCode.UNIMPLEMENTED): Handler {
  return { unary: () => Promise.reject(new GrpcError(code, message)) };
}
