import type { MaybePromise } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { AuditErrors } from './audit-errors.ts';
import type { AuditBackend } from './audit.ts';
import type { AuditEvent } from './event.ts';

const ANNOTATION = 'audit.k8s.io/truncated';

/** Removes the objects of events that are too large, and drops what is still too large. */
export class TruncatingBackend implements AuditBackend {
  readonly #backend: AuditBackend;
  readonly #maxEventSize: number;
  readonly #errors: AuditErrors;

  constructor(ctx: Pick<Context, 'metrics' | 'logger'>, backend: AuditBackend, maxEventSize: number) {
    this.#backend = backend;
    this.#maxEventSize = maxEventSize;
    this.#errors = new AuditErrors(ctx, 'truncate');
  }

  write(event: AuditEvent): MaybePromise<boolean> {
    if (this.#fits(event)) return this.#backend.write(event);
    const truncated = withoutObjects(event);
    if (truncated !== event && this.#fits(truncated)) return this.#backend.write(truncated);
    this.#errors.failed(new Error('event is too large even after truncating'), 1);
    return true;
  }

  close(): Promise<void> {
    return this.#backend.close();
  }

  #fits(event: AuditEvent): boolean {
    return Buffer.byteLength(JSON.stringify(event)) <= this.#maxEventSize;
  }
}

function withoutObjects(event: AuditEvent): AuditEvent {
  if (event['level'] === 'Metadata') return event;
  const { requestObject: _request, responseObject: _response, ...rest } = event;
  return { ...rest, annotations: { ...(event['annotations'] as object | undefined), [ANNOTATION]: 'true' } };
}
