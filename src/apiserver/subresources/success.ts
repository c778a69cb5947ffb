import type { Status } from '../../api/generated/meta-v1.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Result } from '../request/request.ts';

/** What a subresource answers that does something and has nothing to show. */
export function done(code: number): Result {
  const status: Status = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code };
  return { type: 'object', status: code, object: status as unknown as KubeObject };
}
