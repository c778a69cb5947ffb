/** A private address that passes requests on as the user of a kubeconfig, with a span as their cause. */
import { pipeline } from 'node:stream/promises';
import { HttpTransport, type ClientConfig } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import { NOT_FORWARDED, startPrivateServer, type PrivateServer, type ServePrivately } from './private-server.ts';

interface ForwardingOptions {
  readonly config: ClientConfig;
  readonly namespace: string;
  /** The span that the command's requests are caused by. */
  readonly cause: number;
}

export async function startForwardingServer(ctx: Context, options: ForwardingOptions): Promise<PrivateServer> {
  const { config, namespace, cause } = options;
  const transport = new HttpTransport({ config, clock: ctx.clock, tracer: ctx.tracer });
  const server = await startPrivateServer(ctx, { namespace, serve: forwardTo(transport, cause) });
  return {
    kubeconfig: server.kubeconfig,
    async close() {
      await server.close();
      await transport.close();
    },
  };
}

const forwardTo =
  (transport: HttpTransport, cause: number): ServePrivately =>
  async ({ method, body, ...request }, response) => {
    const answer = await transport.forward({
      ...request,
      method: method as 'GET',
      body: body.length > 0 ? body : undefined,
      cause,
    });
    const own = Object.entries(answer.headers).filter(([name]) => !NOT_FORWARDED.has(name));
    response.writeHead(answer.status, Object.fromEntries(own));
    response.flushHeaders();
    await pipeline(answer.body, response).catch(() => response.destroy());
  };
