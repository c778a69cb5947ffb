/**
 * certificatesigningrequest-approving-controller: approves kubelets' requests for client certificates
 * when a SubjectAccessReview allows it.
 */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { formatTime } from '../../base/index.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import {
  keyedController,
  keysOnChange,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Reconciler,
} from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { hasCondition, KUBELET_CLIENT, kubeletClientRefusal, readRequest } from './request.ts';

interface Recognizer {
  readonly subresource: string;
  readonly message: string;
  recognizes(request: CertificateSigningRequest, commonName: string): boolean;
}

const RECOGNIZERS: readonly Recognizer[] = [
  {
    subresource: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    recognizes: (request, commonName) => request.spec.username === commonName,
  },
  {
    subresource: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    recognizes: () => true,
  },
];

export const certificateSigningRequestApprovingController: ControllerDescriptor = {
  name: 'certificatesigningrequest-approving-controller',
  aliases: ['csrapproving'],
  build(context) {
    const requests = context.informers.informer('certificates.k8s.io/v1/certificatesigningrequests');
    return keyedController(context, {
      queue: 'certificate',
      workers: 5,
      reconciler: (worker) => new Approver(worker, requests),
      watches: [
        watch(
          requests,
          keysOnChange((request) => (isPending(request) ? [keyOf(request)] : [])),
        ),
      ],
    });
  },
};

class Approver implements Reconciler {
  readonly #context: ControllerContext;
  readonly #requests: SharedInformer<CertificateSigningRequest>;

  constructor(context: ControllerContext, requests: SharedInformer<CertificateSigningRequest>) {
    this.#context = context;
    this.#requests = requests;
  }

  async reconcile(name: string): Promise<void> {
    const request = this.#requests.get(name);
    if (!request || !isPending(request)) return;
    const parsed = readRequest(request);
    if (kubeletClientRefusal(parsed, request.spec.usages ?? []) !== undefined) return;
    for (const { recognizes, subresource, message } of RECOGNIZERS) {
      if (recognizes(request, parsed.commonName) && (await this.#isAllowed(request, subresource)))
        return this.#approve(request, message);
    }
  }

  async #isAllowed({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> {
    const review = {
      metadata: {},
      spec: {
        user: spec.username,
        uid: spec.uid,
        groups: spec.groups,
        extra: spec.extra,
        resourceAttributes: {
          group: 'certificates.k8s.io',
          resource: 'certificatesigningrequests',
          subresource,
          verb: 'create',
          version: '*',
        },
      },
    };
    const { client, signal } = this.#context;
    const { status } = await client.resource('authorization.k8s.io/v1/subjectaccessreviews').create(review, { signal });
    return status?.allowed === true;
  }

  async #approve(request: CertificateSigningRequest, message: string): Promise<void> {
    const { client, clock, signal } = this.#context;
    const condition = {
      type: 'Approved',
      status: 'True',
      reason: 'AutoApproved',
      message,
      lastUpdateTime: formatTime(clock.now()),
    };
    const approved = {
      ...request,
      status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] },
    };
    const approval = client
      .resource('certificates.k8s.io/v1/certificatesigningrequests')
      .subresource({ name: keyOf(request) }, 'approval');
    await ignoreNotFound(() => approval.update(approved, { signal }));
  }
}

const isPending = (request: CertificateSigningRequest): boolean =>
  request.spec.signerName === KUBELET_CLIENT &&
  !request.status?.certificate &&
  !hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied');
