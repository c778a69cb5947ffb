/** ImagePolicyWebhook: sends the images of a pod to a webhook as an ImageReview, and rejects the pod if it says so. */
import { errorMessage, isRecord } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { ExpiringCache, type ReviewClient } from '../review-webhooks/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';
import { isForResource, podOf, specOf } from './request-objects.ts';

export interface ImagePolicyWebhookConfiguration {
  readonly client: Pick<ReviewClient, 'post'>;
  readonly allowTtlMs?: number;
  readonly denyTtlMs?: number;
  /** Admit the pod if the webhook fails. */
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
const CACHE_SIZE = 1024;
const DEFAULT_ALLOW_TTL_MS = 300_000;
const DEFAULT_DENY_TTL_MS = 30_000;

export function imagePolicyWebhookPlugin(
  ctx: Context,
  configuration: ImagePolicyWebhookConfiguration | undefined,
): AdmissionPlugin {
  if (!configuration)
    throw new Error(
      'the admission plugin ImagePolicyWebhook requires imagePolicy.kubeConfigFile in the --admission-control-config-file',
    );
  const {
    client,
    allowTtlMs = DEFAULT_ALLOW_TTL_MS,
    denyTtlMs = DEFAULT_DENY_TTL_MS,
    defaultAllow = false,
  } = configuration;
  const responses = new ExpiringCache<ImageReviewStatus>(ctx.clock, CACHE_SIZE);

  async function review(spec: ImageReviewSpec): Promise<ImageReviewStatus> {
    const key = JSON.stringify(spec);
    const cached = responses.get(key);
    if (cached) return cached;
    const status = statusOf(await client.post({ apiVersion: API_VERSION, kind: 'ImageReview', metadata: {}, spec }));
    responses.set(key, status, status.allowed ? allowTtlMs : denyTtlMs);
    return status;
  }

  return {
    name: 'ImagePolicyWebhook',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isForResource(attributes, '', 'pods') &&
      (attributes.subresource === '' || attributes.subresource === 'ephemeralcontainers'),
    async validate(attributes) {
      let status: ImageReviewStatus;
      try {
        status = await review(imageReviewSpec(attributes));
      } catch (error) {
        if (!defaultAllow) throw newForbidden(attributes, errorMessage(error));
        ctx.logger.error(error, 'Failed to call the image policy webhook, failing open', {
          namespace: attributes.namespace,
          pod: attributes.name,
        });
        attributes.annotate(`${AUDIT_PREFIX}failed-open`, 'true');
        return;
      }
      for (const [key, value] of Object.entries(status.auditAnnotations))
        attributes.annotate(AUDIT_PREFIX + key, value);
      if (status.allowed) return;
      throw newForbidden(
        attributes,
        status.reason === ''
          ? 'one or more images rejected by webhook backend'
          : `image policy webhook backend denied one or more images: ${status.reason}`,
      );
    },
  };
}

function imageReviewSpec(attributes: AdmissionAttributes): ImageReviewSpec {
  const pod = podOf(attributes);
  const { containers = [], initContainers = [], ephemeralContainers = [] } = specOf(pod);
  const reviewed = attributes.subresource === '' ? [...containers, ...initContainers] : ephemeralContainers;
  return {
    containers: reviewed.map(({ image = '' }) => ({ image })),
    annotations: Object.fromEntries(
      Object.entries(pod.metadata.annotations ?? {}).filter(([key]) => key.includes(REVIEWED_ANNOTATION)),
    ),
    namespace: attributes.namespace,
  };
}

function statusOf({ status }: Record<string, unknown>): ImageReviewStatus {
  if (!isRecord(status)) throw new Error('the response of the image policy webhook has no status');
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
