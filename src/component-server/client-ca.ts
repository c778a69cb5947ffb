import type { Client } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';

/** The CA of client certificates, as the API server publishes it. Without it only bearer tokens are accepted. */
export async function clientCaOf(ctx: Context, client: Client): Promise<string | undefined> {
  try {
    const { data } = await client
      .resource('v1/configmaps')
      .get({ namespace: 'kube-system', name: 'extension-apiserver-authentication' }, { signal: ctx.signal });
    return data?.['client-ca-file'];
  } catch (error) {
    ctx.logger.warn('Client certificates will not be accepted', { err: error });
    return undefined;
  }
}
