import {
  HeaderOnly,
  LeaseGrantRequest,
  LeaseGrantResponse,
  LeaseId,
  LeaseKeepAliveResponse,
  LeaseLeasesResponse,
  LeaseTimeToLiveRequest,
  LeaseTimeToLiveResponse,
  Empty,
} from '../wire/messages.ts';
import { type FrontContext, framed, headerNow, headerOf, method } from './answers.ts';
import type { Handler } from './grpc-server.ts';
import type { StreamCall } from './stream-call.ts';

export function leaseService(front: FrontContext): Record<string, Handler> {
  const { store } = front;
  const keepAlive = async (call: StreamCall): Promise<void> => {
    for await (const bytes of call.messages()) {
      const { id } = LeaseId.decode(bytes);
      const { ttl } = await store.leaseKeepAlive(id);
      call.send(framed(LeaseKeepAliveResponse, { header: await headerNow(front), id, ttl }));
    }
  };
  const leases = method(Empty, LeaseLeasesResponse, async () => {
    const ids = await store.leases();
    return { header: await headerNow(front), leases: ids.map((id) => ({ id })) };
  });
  return {
    LeaseGrant: method(LeaseGrantRequest, LeaseGrantResponse, async (request) => {
      const { id, ttl } = await store.leaseGrant(request);
      return { header: await headerNow(front), id, ttl };
    }),
    LeaseRevoke: method(LeaseId, HeaderOnly, async ({ id }) => {
      const { revision } = await store.leaseRevoke(id);
      return { header: headerOf(front, revision) };
    }),
    LeaseKeepAlive: { stream: keepAlive },
    LeaseTimeToLive: method(LeaseTimeToLiveRequest, LeaseTimeToLiveResponse, async ({ id, keys }) => {
      const status = await store.leaseTimeToLive(id, { keys });
      return { header: await headerNow(front), ...status };
    }),
    LeaseLeases: leases,
  };
}
