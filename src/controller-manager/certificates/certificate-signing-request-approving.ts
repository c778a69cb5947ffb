/** certificatesigningrequest-approving-controller: approves the client certificates that kubelets ask for, where RBAC lets them. */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { formatTime } from '../../base/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
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
    const { client, clock, informers, signal } = context;
    const requests = informers.informer('certificates.k8s.io/v1/certificatesigningrequests');

    const reconcile = async (name: string): Promise<void> => {
      const request = requests.get(name);
      if (!request || !isOpen(request)) return;
      const asked = readRequest(request);
      if (kubeletClientRefusal(asked, request.spec.usages ?? []) !== undefined) return;
      for (const { recognizes, subresource, message } of RECOGNIZERS) {
        if (!recognizes(request, asked.commonName) || !(await isAllowed(request, subresource))) continue;
        return approve(request, message);
      }
    };

    const isAllowed = async ({ spec }: CertificateSigningRequest, subresource: string): Promise<boolean> => {
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
      const { status } = await client
        .resource('authorization.k8s.io/v1/subjectaccessreviews')
        .create(review, { signal });
      return status?.allowed === true;
    };

    const approve = async (request: CertificateSigningRequest, message: string): Promise<void> => {
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
      try {
        await client
          .resource('certificates.k8s.io/v1/certificatesigningrequests')
          .subresource({ name: keyOf(request) }, 'approval')
          .update(approved, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'certificate', 5, reconcile);
    enqueueOnChange(requests, queue, (request) => (isOpen(request) ? keyOf(request) : undefined));
    return run;
  },
};

const isOpen = (request: CertificateSigningRequest): boolean =>
  request.spec.signerName === KUBELET_CLIENT &&
  !request.status?.certificate &&
  !hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied');
