/** Why a driver did not grow a volume, and what follows from it. */
import { errorMessage } from '../../../base/index.ts';
import { GrpcError, type GrpcStatusName } from '../../../grpc/index.ts';
import { rpcErrorText } from '../../runtime/rpc-error.ts';
import { VolumeError } from '../volume.ts';

/**
 * - `in-use`: not while it is mounted; pods may use it as it is, and it is not tried again here.
 * - `infeasible`: never with this size; the resizer decides.
 * - `unsupported`: the driver's nodes have no part in growing volumes.
 * - `final`: it failed, and is tried again.
 * - `uncertain`: it may still be going on; it is tried again.
 */
export type ExpansionOutcome = 'in-use' | 'infeasible' | 'unsupported' | 'final' | 'uncertain';

export class ExpansionError extends VolumeError {
  constructor(
    readonly outcome: ExpansionOutcome,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
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
