import { status } from '@grpc/grpc-js';

export const grpcStatus = status;
export type GrpcStatusName = Exclude<keyof typeof status, number>;

/** The failure of a call, on either side: the peer sees the same code and message. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: GrpcStatusName;

  constructor(code: GrpcStatusName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
