/** `why request`: only the API server that served the request knows. */
import { isNotFound, type Client } from '../../client/index.ts';
import { glassPath, GLASS_API } from '../api/glass-group.ts';
import type { RequestAnswer } from './request-answer.ts';

export interface WhyRequestOptions {
  readonly client: Client;
  readonly auditId: string;
  readonly signal?: AbortSignal;
}

/** Fails with what to do where nothing is known about the request. */
export async function whyRequest({ client, auditId, signal }: WhyRequestOptions): Promise<RequestAnswer> {
  const get = (path: string): Promise<{ body: unknown }> =>
    client.request({ method: 'GET', path, ...(signal ? { signal } : {}) });
  try {
    return ((await get(glassPath('requests', '', auditId))).body as { status: RequestAnswer }).status;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const isServed = await get(`/apis/${GLASS_API}`).then(
      () => true,
      () => false,
    );
    throw new Error(
      isServed
        ? `no request with the audit ID ${auditId} is kept that you may see: the newest ones are, until others take their place`
        : 'this API server does not keep its requests; its audit log has an event with this auditID if its policy records it',
      { cause: error },
    );
  }
}
