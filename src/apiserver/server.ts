/** The API server: the pipeline on a port. */
import type net from 'node:net';
import os from 'node:os';
import { type Attributes, type Context, RunGroup, unlessAborted, untilAborted } from '../kernel/index.ts';
import type { ServingOptions, TlsSettings } from '../net/tls/index.ts';
import { exportSpans, type TracingConfiguration } from '../otlp/index.ts';
import { serverIdentityName } from './bootstrap/index.ts';
import { createPipeline, type Pipeline, type PipelineOptions } from './pipeline/build-pipeline.ts';
import { withCors } from './pipeline/cors.ts';
import { REQUEST_TIMEOUT_MS } from './pipeline/request-deadlines.ts';
import { CurrentKeys, type RenewableKeys } from './pki/current-keys.ts';
import type { ApiRequest, ApiResponse } from './request/request.ts';
import { withGoaway } from './transport/goaway.ts';
import type { InFlightRequests } from './transport/in-flight-requests.ts';
import { SEND_LIMITS } from './transport/send-budget.ts';
import { listen } from './transport/serve.ts';
import { withStrictTransportSecurity } from './transport/strict-transport-security.ts';
import { startFrontThread } from './transport/thread/start-front-thread.ts';
import type { Http2Settings, Transport, TransportOptions } from './transport/transport.ts';

export { InFlightRequests } from './transport/in-flight-requests.ts';

export interface ApiServerOptions extends PipelineOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly maxBodyBytes?: number;
  /** Stands around the pipeline, for callers over the network and in this process alike: tests inject faults here. */
  readonly intercept?: (handle: ApiServer['handle']) => ApiServer['handle'];
  readonly tlsSettings?: TlsSettings;
  readonly http2?: Http2Settings;
  /** A thread of its own has the port, where that helps: for a server that has its process to itself. */
  readonly ownThread?: boolean;
  /** The part of HTTP/2 requests after which their connection takes no more; default 0. */
  readonly goawayChance?: number;
  /** Regular expressions, in Go's syntax, of the origins whose pages may read responses. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Directives of the header Strict-Transport-Security. */
  readonly strictTransportSecurity?: readonly string[];
  /** Counts the requests over the network that the server's owner waits for before it ends. */
  readonly inFlight?: InFlightRequests;
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
  /** New connections, from clients and to kubelets and aggregated servers, use the renewed certificates and CAs. */
  renewKeys(renewed: Partial<RenewableKeys>): void;
  /** Takes no more connections, and asks clients to leave theirs; requests are served until the context ends. */
  stopListening(): void;
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
    const fromOutside = aroundPipeline(ctx, handle, options);
    const transport = await listen(ctx, { ...transportOptions(options), thread }, fromOutside);
    // A group that has been stopped starts nothing.
    if (ctx.signal.aborted) await transport.close(0);
    else group.start('transport', () => untilStopped(ctx, transport));
    await unlessAborted(ctx.signal, pipeline.bootstrap(transport.port));
    const { port, accept } = transport;
    return {
      renewKeys(renewed) {
        keys.renew(renewed);
        const { apiserver, named, ca, frontProxyCa } = renewed;
        if (apiserver ?? named ?? ca ?? frontProxyCa) transport.renew(servingOptions({ ...options, pki: keys }));
      },
      port,
      handle,
      stopListening: transport.stopListening,
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

/** What stands around the pipeline for requests over the network, the outermost last. */
function aroundPipeline(
  { random }: Context,
  handle: ApiServer['handle'],
  { goawayChance = 0, corsAllowedOrigins = [], strictTransportSecurity = [], inFlight }: ApiServerOptions,
): ApiServer['handle'] {
  const answering = withGoaway(withCors(handle, corsAllowedOrigins, random), goawayChance, random);
  const secured = withStrictTransportSecurity(answering, strictTransportSecurity);
  return inFlight ? inFlight.around(secured) : secured;
}

/** What metrics and spans call this server, and its identity Lease. */
export const apiServerId = (): string => serverIdentityName(os.hostname());

const resourceOfSpans = (): Attributes => ({
  'service.name': 'apiserver',
  'service.instance.id': apiServerId(),
});

function transportOptions(options: ApiServerOptions): TransportOptions {
  const { host, port, maxBodyBytes = MAX_BODY_BYTES, requestTimeoutMs: responseMs = REQUEST_TIMEOUT_MS } = options;
  const sendLimits = { ...SEND_LIMITS, responseMs };
  const { speed, http2 } = options;
  return { host, port, maxBodyBytes, tls: servingOptions(options), http2, sendLimits, speed };
}

const servingOptions = ({ pki, tlsSettings }: Pick<ApiServerOptions, 'pki' | 'tlsSettings'>): ServingOptions => ({
  ...tlsSettings,
  ...pki.apiserver,
  ...(pki.named ? { named: pki.named } : {}),
  clientCa: pki.ca.certificate + pki.frontProxyCa.certificate,
});

async function untilStopped(ctx: Context, transport: Transport): Promise<void> {
  await Promise.race([untilAborted(ctx.signal), ...(transport.failed ? [transport.failed] : [])]);
  await transport.close(SHUTDOWN_GRACE_MS);
}
