/** Proxies a request to the server of an APIService. */
import type { Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import { connectionErrorText, forwardedHeaders, proxyUpgrade, relay, type PermittedTarget } from '../dial/index.ts';
import type { Exchange } from '../request/exchange.ts';
import { splitPath } from '../request/request-info.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import { respondText } from '../request/responses.ts';
import { identityHeaders, type RemoteConnections } from './remote-connection.ts';
import type { RemoteService } from './remote-service.ts';

const DISCOVERY_TIMEOUT_MS = 5000;
/** `/apis/GROUP/VERSION` */
const DISCOVERY_SEGMENTS = 3;

const unavailable = (text = 'service unavailable'): ApiResponse => respondText(503, `${text}\n`);

export async function proxyToRemote(
  ctx: Context,
  connections: RemoteConnections,
  remote: RemoteService,
  exchange: Exchange,
  user: UserInfo,
): Promise<ApiResponse> {
  const { request, info } = exchange;
  if (!remote.available) return unavailable();
  let target: PermittedTarget;
  try {
    target = connections.locate(remote);
  } catch (error) {
    return unavailable(isStatusError(error, 'NotImplemented') ? error.message : undefined);
  }
  const query = request.query.toString();
  const path = `${request.path}${query === '' ? '' : `?${query}`}`;
  const identity = identityHeaders(user);
  const isDiscovery = !info.isResourceRequest && splitPath(request.path).length === DISCOVERY_SEGMENTS;
  const deadline = isDiscovery ? ctx.clock.deadline(DISCOVERY_TIMEOUT_MS, request.signal) : request.signal;
  try {
    if (request.upgrade) return await proxyUpgrade(connections.dialer, { request, target, path, headers: identity });
    const body = request.method === 'GET' || request.method === 'HEAD' ? undefined : await request.readBody();
    const headers = {
      ...forwardedHeaders(request.headers),
      'x-forwarded-for': request.remoteAddress,
      ...(exchange.auditId ? { 'audit-id': exchange.auditId } : {}),
      ...identity,
    };
    return relay(
      await connections.send(remote, target, {
        method: request.method,
        path,
        headers,
        signal: deadline,
        ...(body ? { body } : {}),
      }),
    );
  } catch (error) {
    if (request.signal.aborted) throw error;
    if (isStatusError(error)) return unavailable(error.message);
    return unavailable(
      deadline.aborted ? 'context deadline exceeded' : `error trying to reach service: ${connectionErrorText(error)}`,
    );
  }
}
