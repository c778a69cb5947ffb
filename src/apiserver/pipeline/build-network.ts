/** Everything that opens connections: to webhooks, to Services, to kubelets. One policy decides which addresses it may dial. */
import type { Context } from '../../kernel/index.ts';
import { Dialer, DialPolicy, KubeletClient, ServiceResolver, type KubeletConnection } from '../dial/index.ts';
import type { Registry } from '../registry/registry.ts';
import { WebhookClients } from '../webhook-client/index.ts';
import type { PipelineOptions } from './pipeline-options.ts';
import type { ServerAddress } from './server-address.ts';

type NetworkOptions = Pick<
  PipelineOptions,
  | 'advertiseAddress'
  | 'serviceClusterIpRange'
  | 'enableAggregatorRouting'
  | 'dial'
  | 'sendToWebhook'
  | 'kubelet'
  | 'pki'
>;

interface Network {
  readonly dialer: Dialer;
  readonly dialPolicy: DialPolicy;
  readonly services: ServiceResolver;
  readonly webhooks: WebhookClients;
  readonly kubelet: KubeletConnection;
}

export function buildNetwork(
  ctx: Context,
  registry: Registry,
  address: ServerAddress,
  {
    advertiseAddress,
    serviceClusterIpRange,
    enableAggregatorRouting = false,
    dial,
    sendToWebhook: send,
    kubelet,
    pki,
  }: NetworkOptions,
): Network {
  const dialer = new Dialer(ctx.clock, dial);
  const dialPolicy = new DialPolicy(registry, {
    ...dial,
    advertiseAddress,
    serviceClusterIpRange,
    port: () => address.port,
  });
  const services = new ServiceResolver(registry, {
    random: ctx.random.fork('service-resolver'),
    policy: dialPolicy,
    externalNames: !enableAggregatorRouting,
  });
  return {
    dialer,
    dialPolicy,
    services,
    webhooks: new WebhookClients(ctx, { dialer, policy: dialPolicy, resolver: services, ...(send ? { send } : {}) }),
    kubelet: new KubeletClient(registry, dialPolicy, { ...kubelet, keys: () => pki.kubeletClient }),
  };
}
