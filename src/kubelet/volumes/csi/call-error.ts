/** What a failed call of a CSI driver tells about the volume. */
import { GrpcError, type GrpcStatusName } from '../../../grpc/index.ts';

const OPEN: ReadonlySet<GrpcStatusName> = new Set<GrpcStatusName>([
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
]);

/** Whether the driver may have done, or be doing, what it was asked. */
export const mayHaveHappened = (error: unknown): boolean => !(error instanceof GrpcError) || OPEN.has(error.code);
