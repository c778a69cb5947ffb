import type { EffectiveVersion } from '../../api/kubernetes-version.ts';
import type { FlagTexts } from '../../component-server/index.ts';
import type { Store } from '../../etcd/index.ts';
import type { AdmissionOptions } from '../admission/plugins.ts';
import type { AuditLog } from '../audit/index.ts';
import type { AuthenticationOptions } from '../authn/build.ts';
import type { AuthorizerConfigs } from '../authz/build.ts';
import type { ServerIdentityOptions } from '../bootstrap/post-start.ts';
import type { DialerOptions, DialPolicyOptions, KubeletClientOptions, SimulatedNetwork } from '../dial/index.ts';
import type { PriorityAndFairnessOptions } from '../flow-control/index.ts';
import type { CurrentKeys } from '../pki/current-keys.ts';
import type { ServerKeys } from '../pki/files.ts';
import type { SpeedOptions } from '../request/speed-options.ts';
import type { StorageMediaType } from '../storage/storage-media-type.ts';
import type { Transformer } from '../storage/transformer.ts';
import type { SendToWebhook } from '../webhook-client/index.ts';

export interface PipelineOptions {
  readonly store: Store;
  readonly pki: ServerKeys & Partial<Pick<CurrentKeys, 'onRenew'>>;
  readonly advertiseAddress: string;
  readonly identity?: ServerIdentityOptions;
  /** The flags that the server was started with, for /flagz. */
  readonly flags?: FlagTexts;
  /** The host in URLs that name this server; by default the advertised address. */
  readonly externalHostname?: string;
  readonly serviceClusterIpRange: string;
  readonly nodePortRange?: string;
  /** Refuses ExternalName Services of webhooks and aggregated APIs; requests go to endpoints either way. */
  readonly enableAggregatorRouting?: boolean;
  /** How often the store is compacted; by default every five minutes, 0: not by this server. */
  readonly compactionIntervalMs?: number;
  /** How long a store of this server alone keeps old revisions; default one or two intervals of compaction. */
  readonly historyMs?: number;
  /** How long Events are kept; by default an hour. */
  readonly eventTtlSeconds?: number;
  /** Feature gates that differ from their defaults. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Whether privileged containers are valid; by default they are. */
  readonly allowPrivileged?: boolean;
  /** The version to report, by default that of the program. */
  readonly gitVersion?: string;
  /** The version to behave as, by default that of the program. */
  readonly effectiveVersion?: EffectiveVersion;
  /** Which built-in versions are served; by default the stable ones. */
  readonly servesVersion?: (group: string, version: string, plural: string) => boolean;
  readonly kubelet?: Pick<KubeletClientOptions, 'ca' | 'preferredAddressTypes' | 'connectToNode'>;
  /** How connections are opened, and which addresses are known besides those of API objects. */
  readonly dial?: DialerOptions & SimulatedNetwork & Pick<DialPolicyOptions, 'localAddresses'>;
  /** Reaches webhooks in another way than over the network, such as on virtual time. */
  readonly sendToWebhook?: SendToWebhook;
  readonly admission?: Omit<AdmissionOptions, 'authorizer' | 'webhooks' | 'stages' | 'featureGates'>;
  readonly authentication?: AuthenticationOptions;
  readonly audit?: AuditLog;
  /** Priority and fairness; `false` lets every request run at once. */
  readonly flowControl?: PriorityAndFairnessOptions | false;
  /** Aborts when the server is to end, before its context does if it goes on serving for a while; default: the context. */
  readonly stopping?: AbortSignal;
  /** How long a request that is not long-running may take; by default a minute. */
  readonly requestTimeoutMs?: number;
  /** A watch without a timeout ends after this time, or up to twice as long; by default half an hour. */
  readonly minRequestTimeoutSeconds?: number;
  /** `none`: somebody else writes the endpoints of the Service `kubernetes`. */
  readonly endpointReconciler?: 'lease' | 'none';
  /** The node port of the Service `kubernetes`; by default it has none. */
  readonly kubernetesServiceNodePort?: number;
  /** The form of built-in kinds in the store; by default JSON. */
  readonly storageMediaType?: StorageMediaType;
  /** Encryption at rest; by default objects are stored in plain text. */
  readonly encryption?: Transformer;
  /** The chain of authorizers; by default Node and RBAC. */
  readonly authorization?: AuthorizerConfigs;
  /** Features that make the server faster and nothing else; all are on by default. */
  readonly speed?: Partial<SpeedOptions>;
}
