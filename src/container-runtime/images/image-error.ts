import type { GrpcStatusName } from '../../grpc/index.ts';

/**
 * Something about an image is wrong. `code` is what a CRI caller sees; the kubelet's events are made of the message.
 * One rule of the kubelet's is followed here: a message that starts with `RegistryUnavailable` under the code UNKNOWN
 * becomes its reason of that name, everything else ErrImagePull.
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

/** The same error with what was being done before it. */
export function wrapError(action: string, error: unknown): ImageError {
  if (error instanceof ImageError) {
    if (error.message.startsWith('RegistryUnavailable')) return error;
    return new ImageError(error.code, `${action}: ${error.message}`, { cause: error });
  }
  return new ImageError('UNKNOWN', `${action}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}
