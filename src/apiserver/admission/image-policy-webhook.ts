import { isRecord } from '../../base/index.ts';
/** ImagePolicyWebhook: a server outside is asked with an ImageReview whether the images of a pod may be used. */
import type { Context } from '../../kernel/index.ts';
import { ExpiringCache, type ReviewClient } from '../review-webhooks/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { isFor, podOf, specOf } from './kinds.ts';
import { refuse } from './refuse.ts';

export interface ImagePolicyWebhookConfiguration {
  readonly client: Pick<ReviewClient, 'post'>;
  readonly allowTtlMs?: number;
  readonly denyTtlMs?: number;
  /** What holds when the webhook cannot be asked. */
  readonly defaultAllow?: boolean;
}

interface ImageReviewStatus {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

interface ImageReviewSpec {
  readonly containers: readonly { readonly image: string }[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly namespace: string;
}

const API_VERSION = 'imagepolicy.k8s.io/v1alpha1';
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/';
const REVIEWED_ANNOTATION = '.image-policy.k8s.io/';
const CACHED = 1024;
const DEFAULT_ALLOW_TTL_MS = 300_000;
const DEFAULT_DENY_TTL_MS = 30_000;

export function imagePolicyWebhookPlugin(
  ctx: Context,
  configuration: ImagePolicyWebhookConfiguration | undefined,
): AdmissionPlugin {
  if (!configuration)
    throw new Error(
      'the admission plugin ImagePolicyWebhook needs its configuration: imagePolicy.kubeConfigFile in the file of admission-control-config-file',
    );
  const {
    client,
    allowTtlMs = DEFAULT_ALLOW_TTL_MS,
    denyTtlMs = DEFAULT_DENY_TTL_MS,
    defaultAllow = false,
  } = configuration;
  const answers = new ExpiringCache<ImageReviewStatus>(ctx.clock, CACHED);

  async function review(spec: ImageReviewSpec): Promise<ImageReviewStatus> {
    const key = JSON.stringify(spec);
    const known = answers.get(key);
    if (known) return known;
    const status = statusOf(await client.post({ apiVersion: API_VERSION, kind: 'ImageReview', metadata: {}, spec }));
    answers.set(key, status, status.allowed ? allowTtlMs : denyTtlMs);
    return status;
  }

  return {
    name: 'ImagePolicyWebhook',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isFor(attributes, '', 'pods') &&
      (attributes.subresource === '' || attributes.subresource === 'ephemeralcontainers'),
    async validate(attributes) {
      let status: ImageReviewStatus;
      try {
        status = await review(reviewed(attributes));
      } catch (error) {
        if (!defaultAllow) throw refuse(attributes, error instanceof Error ? error.message : String(error));
        ctx.logger.error(error, 'The image policy webhook cannot be asked; the pod is let in', {
          namespace: attributes.namespace,
          pod: attributes.name,
        });
        attributes.annotate(`${AUDIT_PREFIX}failed-open`, 'true');
        return;
      }
      for (const [key, value] of Object.entries(status.auditAnnotations))
        attributes.annotate(AUDIT_PREFIX + key, value);
      if (status.allowed) return;
      throw refuse(
        attributes,
        status.reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${status.reason}`,
      );
    },
  };
}

function reviewed(attributes: AdmissionAttributes): ImageReviewSpec {
  const pod = podOf(attributes);
  const { containers = [], initContainers = [], ephemeralContainers = [] } = specOf(pod);
  const looked = attributes.subresource === '' ? [...containers, ...initContainers] : ephemeralContainers;
  return {
    containers: looked.map(({ image = '' }) => ({ image })),
    annotations: Object.fromEntries(
      Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => key.includes(REVIEWED_ANNOTATION)),
    ),
    namespace: attributes.namespace,
  };
}

function statusOf({ status }: Record<string, unknown>): ImageReviewStatus {
  if (!isRecord(status)) throw new Error('the image policy webhook answered without a status');
  const { allowed, reason, auditAnnotations } = status;
  const annotations = isRecord(auditAnnotations)
    ? Object.entries(auditAnnotations).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
    : [];
  return {
    allowed: allowed === true,
    reason: typeof reason === 'string' ? reason : '',
    auditAnnotations: Object.fromEntries(annotations),
  };
}
