/** The server's requests to itself: through the pipeline as system:apiserver, without a socket. */
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { splitTarget } from '../../net/http/index.ts';
import type { ApiRequest, ApiResponse, UserInfo } from './request.ts';

const SELF: UserInfo = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

export type Loopback = <T extends KubeObject = KubeObject>(
  method: string,
  target: string,
  object?: KubeObject,
) => Promise<T>;

export function createLoopback(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  signal: AbortSignal,
  user: UserInfo = SELF,
): Loopback {
  return async <T extends KubeObject>(method: string, target: string, object?: KubeObject): Promise<T> => {
    const response = await handle({
      method,
      ...splitTarget(target),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': `kube-apiserver/${KUBERNETES_VERSION}`,
      },
      readBody: () => Promise.resolve(Buffer.alloc(0)),
      ...(object ? { object } : {}),
      inProcess: true,
      user,
      remoteAddress: '127.0.0.1',
      signal,
    });
    const { result } = response;
    if (result?.type === 'entry') return result.entry.object as T;
    if (result?.type === 'object') return result.object as T;
    const body = JSON.parse(response.body?.toString() || '{}') as KubeObject;
    if (response.status >= 400) throw new StatusError(body as unknown as StatusError['status']);
    return body as T;
  };
}
