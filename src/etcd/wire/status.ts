import { errorMessage } from '../../base/index.ts';
import { StoreError } from '../store.ts';

/** gRPC's status codes, by their names in its documentation. */
export const GrpcCode = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

export class GrpcError extends Error {
  override name = 'GrpcError';
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The code under which etcd reports each failure. */
const codes: Record<StoreError['code'], number> = {
  compacted: GrpcCode.OUT_OF_RANGE,
  'future-revision': GrpcCode.OUT_OF_RANGE,
  'lease-not-found': GrpcCode.NOT_FOUND,
  'lease-exists': GrpcCode.FAILED_PRECONDITION,
  'lease-ttl-too-large': GrpcCode.OUT_OF_RANGE,
  'key-not-found': GrpcCode.INVALID_ARGUMENT,
  'empty-key': GrpcCode.INVALID_ARGUMENT,
  'value-provided': GrpcCode.INVALID_ARGUMENT,
  'lease-provided': GrpcCode.INVALID_ARGUMENT,
  'duplicate-key': GrpcCode.INVALID_ARGUMENT,
  'too-many-operations': GrpcCode.INVALID_ARGUMENT,
  'request-too-large': GrpcCode.INVALID_ARGUMENT,
  'invalid-range': GrpcCode.INVALID_ARGUMENT,
  'invalid-sort': GrpcCode.INVALID_ARGUMENT,
  'no-space': GrpcCode.RESOURCE_EXHAUSTED,
  corrupt: GrpcCode.DATA_LOSS,
  unavailable: GrpcCode.UNAVAILABLE,
  timeout: GrpcCode.UNAVAILABLE,
  closed: GrpcCode.UNAVAILABLE,
  unsupported: GrpcCode.UNIMPLEMENTED,
};

export function grpcErrorOf(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  if (error instanceof StoreError) return new GrpcError(codes[error.code], error.message);
  return new GrpcError(GrpcCode.UNKNOWN, errorMessage(error));
}
