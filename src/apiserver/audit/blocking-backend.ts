import type { Context } from '../../kernel/index.ts';
import { AuditErrors } from './audit-errors.ts';
import type { AuditBackend, AuditSink } from './audit.ts';
import type { AuditEvent } from './event.ts';

/** Requests wait until their events are stored. If `strict`, a request whose first event cannot be stored fails. */
export class BlockingBackend implements AuditBackend {
  readonly #sink: AuditSink;
  readonly #strict: boolean;
  readonly #errors: AuditErrors;

  constructor(ctx: Pick<Context, 'metrics' | 'logger'>, sink: AuditSink, { strict }: { readonly strict: boolean }) {
    this.#sink = sink;
    this.#strict = strict;
    this.#errors = new AuditErrors(ctx, sink.name);
  }

  async write(event: AuditEvent): Promise<boolean> {
    try {
      await this.#sink.store([event]);
      return true;
    } catch (error) {
      this.#errors.failed(error, 1);
      return !this.#strict;
    }
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}
