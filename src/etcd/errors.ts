import { StoreError } from './store.ts';

/** etcd's message for each failure, so that every backend and the gRPC front use the same ones. */
const messages = {
  compacted: 'etcdserver: mvcc: required revision has been compacted',
  'future-revision': 'etcdserver: mvcc: required revision is a future revision',
  'lease-not-found': 'etcdserver: requested lease not found',
  'lease-exists': 'etcdserver: lease already exists',
  'lease-ttl-too-large': 'etcdserver: too large lease TTL',
  'key-not-found': 'etcdserver: key not found',
  'empty-key': 'etcdserver: key is not provided',
  'value-provided': 'etcdserver: value is provided',
  'lease-provided': 'etcdserver: lease is provided',
  'duplicate-key': 'etcdserver: duplicate key given in txn request',
  'too-many-operations': 'etcdserver: too many operations in txn request',
  'request-too-large': 'etcdserver: request is too large',
  'invalid-sort': 'etcdserver: invalid sort option',
  'no-space': 'etcdserver: mvcc: database space exceeded',
  corrupt: 'etcdserver: corrupt cluster',
  closed: 'etcdserver: server stopped',
  timeout: 'etcdserver: request timed out',
} as const satisfies Partial<Record<StoreError['code'], string>>;

type NamedFailure = keyof typeof messages;

export function failure(code: NamedFailure, details: { compactRevision?: number; cause?: unknown } = {}): StoreError {
  const options = details.cause === undefined ? undefined : { cause: details.cause };
  return new StoreError(code, messages[code], details.compactRevision ?? 0, options);
}

/** The failure with this message of etcd's, for a client that has only the message. */
export function failureOfMessage(message: string): NamedFailure | undefined {
  return codesByMessage.get(message);
}

const codesByMessage = new Map<string, NamedFailure>(
  Object.entries(messages).map(([code, message]) => [message, code as NamedFailure]),
);
