/** Faults of admission webhooks. */
import type { WebhookMode } from '../world/webhook.ts';
import type { FaultDefinition } from './fault.ts';

const inMode = (mode: WebhookMode): FaultDefinition => ({
  weight: 2,
  targets: ['webhook'],
  strike({ webhook }) {
    if (webhook.mode !== 'honest') return null;
    webhook.mode = mode;
    return () => (webhook.mode = 'honest');
  },
});

export const webhookFaults = {
  'webhook-fails': inMode('fails'),
  /** It does not answer before the timeout. */
  'webhook-hangs': inMode('hangs'),
  /** Its answers are none that a webhook may give. */
  'webhook-lies': inMode('lies'),
} satisfies Record<string, FaultDefinition>;
