import { errorMessage } from '../../base/index.ts';
import type { GrpcStatusName } from '../../grpc/index.ts';

/**
 * An image operation failed. `code` is the gRPC code that CRI callers get; the kubelet's events show the message. The
 * kubelet turns a message that starts with `RegistryUnavailable` under the code UNKNOWN into the reason of that name,
 * and everything else into ErrImagePull.
 */
export class ImageError extends Error {
  override readonly name = 'ImageError';

  constructor(
    readonly code: GrpcStatusName,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Prefixes the error's message with the action that failed. */
export function wrapError(action: string, error: unknown): ImageError {
  if (error instanceof ImageError) {
    if (error.message.startsWith('RegistryUnavailable')) return error;
    return new ImageError(error.code, `${action}: ${error.message}`, { cause: error });
  }
  return new ImageError('UNKNOWN', `${action}: ${errorMessage(error)}`, {
    cause: error,
  });
}
