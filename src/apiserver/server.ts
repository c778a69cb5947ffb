/** The API server: the pipeline on a port. */
import type net from 'node:net';
import os from 'node:os';
import { type Attributes, type Context, RunGroup, unlessAborted, untilAborted } from '../kernel/index.ts';
import { exportSpans, type TracingConfiguration } from '../otlp/index.ts';
import { serverIdentityName } from './bootstrap/index.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from './pipeline/build-pipeline.ts';
import { withCors } from './pipeline/cors.ts';
import { REQUEST_TIMEOUT_MS } from './pipeline/request-deadlines.ts';
import { CurrentKeys, type RenewableKeys } from './pki/current-keys.ts';
import type { ApiRequest, ApiResponse } from './request/request.ts';
import { withGoaway } from './transport/goaway.ts';
import { SEND_LIMITS } from './transport/send-budget.ts';
import { listen } from './transport/serve.ts';
import { startFrontThread } from './transport/thread/start-front-thread.ts';
import type { TlsOptions, Transport, TransportOptions } from './transport/transport.ts';

export interface ApiServerOptions extends PipelineOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly maxBodyBytes?: number;
  /** Stands around the pipeline, for callers over the network and in this process alike: tests inject faults here. */
  readonly intercept?: (handle: ApiServer['handle']) => ApiServer['handle'];
  readonly minTlsVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** A thread of its own has the port, where that helps: for a server that has its process to itself. */
  readonly ownThread?: boolean;
  /** The part of HTTP/2 requests after which their connection takes no more; default 0. */
  readonly goawayChance?: number;
  /** Regular expressions, in Go's syntax, of the origins whose pages may read responses. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Where spans are exported to. */
  readonly tracing?: TracingConfiguration;
}

export interface ApiServer {
  readonly port: number;
  /** The pipeline without a socket: what callers in this process use. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Serves an API group of this process, such as metrics.k8s.io. The result removes it. */
  readonly registerApi: Pipeline['registerApi'];
  /** What the server knows about requests and access. */
  readonly insight: Pipeline['insight'];
  /** Serves a connection that came in elsewhere, such as on another address, like those of its own port. */
  accept(socket: net.Socket): void;
  /** New connections, from clients and to kubelets and aggregated servers, use the renewed certificates. */
  renewKeys(renewed: Partial<RenewableKeys>): void;
  /** Resolves when the server has ended. */
  readonly finished: Promise<void>;
}

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const SHUTDOWN_GRACE_MS = 2000;

/** Resolves when the server answers; it ends with the context. A start that fails leaves nothing running. */
export async function startApiServer(parent: Context, options: ApiServerOptions): Promise<ApiServer> {
  const group = new RunGroup(parent);
  const ctx: Context = { ...parent, signal: group.signal };
  const thread = options.ownThread ? startFrontThread() : undefined;
  try {
    const keys = new CurrentKeys(options.pki);
    const pipeline = await createPipeline(ctx, { ...options, pki: keys });
    const { tracing } = options;
    if (tracing) group.start('span exporter', () => exportSpans(ctx, tracing, resourceOfSpans()));
    group.start('watch-cache', () => pipeline.run());
    const handle = options.intercept?.(pipeline.handle) ?? pipeline.handle;
    const { goawayChance = 0, corsAllowedOrigins = [] } = options;
    const fromOutside = withGoaway(withCors(handle, corsAllowedOrigins, ctx.random), goawayChance, ctx.random);
    const transport = await listen(ctx, { ...transportOptions(options), thread }, fromOutside);
    // A group that has been stopped starts nothing.
    if (ctx.signal.aborted) await transport.close(0);
    else group.start('transport', () => untilStopped(ctx, transport));
    await unlessAborted(ctx.signal, pipeline.bootstrap(transport.port));
    const { port, accept } = transport;
    return {
      renewKeys(renewed) {
        keys.renew(renewed);
        if (renewed.apiserver) transport.renew(tlsOptions({ ...options, pki: keys }));
      },
      port,
      handle,
      registerApi: pipeline.registerApi,
      insight: pipeline.insight,
      accept,
      finished: group.wait(),
    };
  } catch (error) {
    await group.close(error);
    await thread?.terminate();
    throw error;
  }
}

const resourceOfSpans = (): Attributes => ({
  'service.name': 'apiserver',
  'service.instance.id': serverIdentityName(os.hostname()),
});

function transportOptions(options: ApiServerOptions): TransportOptions {
  const { host, port, maxBodyBytes = MAX_BODY_BYTES, requestTimeoutMs: responseMs = REQUEST_TIMEOUT_MS } = options;
  const sendLimits = { ...SEND_LIMITS, responseMs };
  return { host, port, maxBodyBytes, tls: tlsOptions(options), sendLimits, speed: options.speed };
}

const tlsOptions = ({ pki, minTlsVersion }: Pick<ApiServerOptions, 'pki' | 'minTlsVersion'>): TlsOptions => ({
  key: pki.apiserver.key,
  cert: pki.apiserver.certificate,
  clientCa: pki.ca.certificate + pki.frontProxyCa.certificate,
  ...(minTlsVersion ? { minVersion: minTlsVersion } : {}),
});

async function untilStopped(ctx: Context, transport: Transport): Promise<void> {
  await Promise.race([untilAborted(ctx.signal), ...(transport.failed ? [transport.failed] : [])]);
  await transport.close(SHUTDOWN_GRACE_MS);
}
