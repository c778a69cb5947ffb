/** Ports of pods that the console's server forwards to an address of this machine. */
import { signal } from '@preact/signals';
import { send } from './request.ts';

export interface ForwardTarget {
  readonly kind: 'pods' | 'services';
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Forward extends ForwardTarget {
  readonly id: string;
  readonly url: string;
  /** Why the newest connection failed. */
  readonly problem?: string;
}

export const forwards = signal<readonly Forward[]>([]);

type SendOptions = Parameters<typeof send>[1];

async function call(path: string, options?: SendOptions): Promise<void> {
  const answer = (await (await send(path, options)).json()) as { forwards: readonly Forward[] };
  forwards.value = answer.forwards;
}

export const loadForwards = (): Promise<void> => call('/forwards');

export const openForward = (target: ForwardTarget): Promise<void> =>
  call('/forwards', { method: 'POST', body: target });

export const closeForward = (id: string): Promise<void> =>
  call(`/forwards/${encodeURIComponent(id)}`, { method: 'DELETE' });
