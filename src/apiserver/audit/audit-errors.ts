import type { Context } from '../../kernel/index.ts';

/** Counts and logs events that a plugin could not store. */
export class AuditErrors {
  readonly #logger: Context['logger'];
  readonly #plugin: string;
  readonly #counter;

  constructor({ metrics, logger }: Pick<Context, 'metrics' | 'logger'>, plugin: string) {
    this.#logger = logger;
    this.#plugin = plugin;
    this.#counter = metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
      labels: ['plugin'],
    });
  }

  count(events: number): void {
    this.#counter.inc({ plugin: this.#plugin }, events);
  }

  failed(error: unknown, events: number): void {
    this.count(events);
    this.#logger.error(error, `Error in audit plugin '${this.#plugin}'`, { events });
  }
}
