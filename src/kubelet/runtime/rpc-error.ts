/** Errors of gRPC calls, to the container runtime or a CSI driver, in the words of Go's gRPC client. */
import { errorMessage } from '../../base/index.ts';
import { GrpcError } from '../../grpc/index.ts';

/** `rpc error: code = NotFound desc = …`; other errors keep their message. */
export function rpcErrorText(error: unknown): string {
  if (!(error instanceof GrpcError)) return errorMessage(error);
  const { code, message } = error;
  // Go spells this one code with a single l.
  const name =
    code === 'CANCELLED'
      ? 'Canceled'
      : code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return `rpc error: code = ${name} desc = ${message}`;
}
