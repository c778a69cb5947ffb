/** Asks whether a pod can reach something, step by step. */
import { ask } from './request.ts';

export interface ConnectionStep {
  readonly step: string;
  /** Absent where it could not be found out. */
  readonly passes?: boolean;
  readonly message: string;
  readonly evidence?: readonly string[];
  readonly remedy?: string;
}

export interface ConnectionAnswer {
  readonly from: string;
  readonly to: string;
  readonly works?: boolean;
  readonly cause?: string;
  readonly steps: readonly ConnectionStep[];
  readonly unknown: readonly string[];
}

export const askConnection = (query: {
  readonly from: string;
  readonly to: string;
  readonly namespace: string;
}): Promise<ConnectionAnswer> => ask<ConnectionAnswer>('connection', { query });
