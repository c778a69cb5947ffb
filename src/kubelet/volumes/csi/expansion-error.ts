/** Errors of NodeExpandVolume, and what follows from each gRPC code. */
import { errorMessage } from '../../../base/index.ts';
import { GrpcError, type GrpcStatusName } from '../../../grpc/index.ts';
import { rpcErrorText } from '../../runtime/rpc-error.ts';
import { VolumeError } from '../volume.ts';

/**
 * - `in-use`: not possible while the volume is mounted; not retried on this node.
 * - `infeasible`: not possible with this size; the resizer decides.
 * - `unsupported`: the driver has no node expansion.
 * - `final`: failed; retried.
 * - `uncertain`: may still be in progress; retried.
 */
type ExpansionOutcome = 'in-use' | 'infeasible' | 'unsupported' | 'final' | 'uncertain';

export class ExpansionError extends VolumeError {
  readonly outcome: ExpansionOutcome;

  constructor(outcome: ExpansionOutcome, message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

const OUTCOMES: Partial<Record<GrpcStatusName, ExpansionOutcome>> = {
  FAILED_PRECONDITION: 'in-use',
  INVALID_ARGUMENT: 'infeasible',
  OUT_OF_RANGE: 'infeasible',
  NOT_FOUND: 'infeasible',
  CANCELLED: 'uncertain',
  DEADLINE_EXCEEDED: 'uncertain',
  UNAVAILABLE: 'uncertain',
  RESOURCE_EXHAUSTED: 'uncertain',
  ABORTED: 'uncertain',
};

export function expansionError(error: unknown): ExpansionError {
  if (error instanceof ExpansionError) return error;
  if (!(error instanceof GrpcError)) return new ExpansionError('uncertain', errorMessage(error), { cause: error });
  const outcome = OUTCOMES[error.code] ?? 'final';
  return new ExpansionError(
    outcome,
    `Expander.NodeExpand failed to expand the volume ${outcome === 'infeasible' ? '' : ': '}${rpcErrorText(error)}`,
    { cause: error },
  );
}
