import type { Store } from '../store.ts';
import { FRAME_HEADER_BYTES, frame } from '../wire/frames.ts';
import type { Message } from '../wire/message.ts';
import type { HeaderMessage } from '../wire/messages.ts';
import type { EventFrame } from './encode-events.ts';
import type { Handler } from './grpc-server.ts';

export interface FrontContext {
  store: Store;
  memberId: bigint;
  clusterId: bigint;
  raftTerm: bigint;
  name: string;
  clientUrls: readonly string[];
  peerUrls: readonly string[];
  maxRequestBytes: number;
  quotaBytes: number;
  eventFrame: EventFrame;
  /** Where the file of a snapshot is made. */
  snapshotDirectory: string;
}

export function headerOf(front: FrontContext, revision: number): HeaderMessage {
  return { clusterId: front.clusterId, memberId: front.memberId, revision, raftTerm: front.raftTerm };
}

export async function headerNow(front: FrontContext): Promise<HeaderMessage> {
  return headerOf(front, await front.store.revision());
}

export function framed<T extends object>(message: Message<T>, value: Partial<T>, sizeHint?: number): Buffer {
  return frame(message.encode(value, { sizeHint, reserve: FRAME_HEADER_BYTES }));
}

/** The version of a cluster and of its storage: that of the release without its patch. */
export const minorVersion = (version: string): string => version.replace(/\.\d+$/, '.0');

/** A unary handler from its request and response messages. */
export function method<Q extends object, R extends object>(
  request: Message<Q>,
  response: Message<R>,
  handle: (request: Q) => Promise<Partial<R>>,
): Handler {
  return { unary: async (bytes) => framed(response, await handle(request.decode(bytes))) };
}
