import type { ReviewClient } from '../review-webhooks/index.ts';
import type { AuditSink } from './audit.ts';
import type { AuditEvent } from './event.ts';

/** Sends events to a webhook. */
export class AuditWebhook implements AuditSink {
  readonly name = 'webhook';
  readonly #client: Pick<ReviewClient, 'post'>;

  constructor(client: Pick<ReviewClient, 'post'>) {
    this.#client = client;
  }

  async store(items: readonly AuditEvent[]): Promise<void> {
    await this.#client.post({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
