/** The text of a failed dial in the words of Go's net package. */
import { serviceUnavailable } from '../../machinery/errors/index.ts';
import { bracketed } from './target.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connect: connection refused'],
  ['EHOSTUNREACH', 'connect: no route to host'],
  ['ENETUNREACH', 'connect: network is unreachable'],
  ['ETIMEDOUT', 'i/o timeout'],
  ['ENOTFOUND', 'no such host'],
]);

export function dialText(error: Error & { code?: string; address?: string; port?: number }): string {
  const reason = REASONS.get(error.code ?? '');
  if (!reason) return error.message;
  return error.address ? `dial tcp ${bracketed(error.address)}:${error.port}: ${reason}` : `dial tcp: ${reason}`;
}

export const unreachable = (error: unknown): Error =>
  serviceUnavailable(`error trying to reach service: ${error instanceof Error ? dialText(error) : 'unknown'}`);
