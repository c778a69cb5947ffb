/** Asks whether a pod can reach something, step by step. */
import type { ConnectionAnswer } from '../../answers.ts';
import { ask } from './request.ts';

export const askConnection = (query: {
  readonly from: string;
  readonly to: string;
  readonly namespace: string;
}): Promise<ConnectionAnswer> => ask<ConnectionAnswer>('connection', { query });
