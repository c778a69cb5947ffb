import type { Context } from '../kernel/index.ts';
import type { ClientConfig } from './client-config.ts';
import { Client, type ClientOptions } from './client.ts';
import { HttpTransport } from './http-transport.ts';

/** A client that reaches the configured server over the network. `close` it in the end. */
export function connect(
  ctx: Pick<Context, 'clock'> & Partial<Pick<Context, 'tracer' | 'metrics'>>,
  config: ClientConfig,
  options: Partial<Omit<ClientOptions, 'transport' | 'clock'>> = {},
): Client {
  const transport = new HttpTransport({ config, clock: ctx.clock, tracer: ctx.tracer, metrics: ctx.metrics });
  return new Client({ impersonate: config.impersonate, ...options, transport, clock: ctx.clock });
}
