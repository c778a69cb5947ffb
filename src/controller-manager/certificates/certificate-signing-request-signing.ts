/** certificatesigningrequest-signing-controller: signs approved requests for the signers of Kubernetes itself. */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import { formatTime } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import type { ControllerManagerConfig } from '../config.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { CertificateAuthority } from './certificate-authority.ts';
import {
  API_CLIENT,
  hasCondition,
  KUBELET_CLIENT,
  KUBELET_SERVING,
  LEGACY_UNKNOWN,
  readRequest,
  refusal,
} from './request.ts';

const SIGNERS = [KUBELET_CLIENT, KUBELET_SERVING, API_CLIENT, LEGACY_UNKNOWN];

export const certificateSigningRequestSigningController: ControllerDescriptor = {
  name: 'certificatesigningrequest-signing-controller',
  aliases: ['csrsigning'],
  build(context) {
    const { clock, informers, config, signal } = context;
    const authorities = authoritiesOf(config);
    if (authorities.size === 0) return () => Promise.resolve();
    const needsSigning = (request: CertificateSigningRequest): boolean =>
      authorities.has(request.spec.signerName) && isApprovedOnly(request);
    const requests = informers.informer('certificates.k8s.io/v1/certificatesigningrequests');

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const request = requests.get(name);
      if (!request || !needsSigning(request)) return;
      const status = await signedStatus(request);
      await ignoreNotFound(() =>
        client
          .resource('certificates.k8s.io/v1/certificatesigningrequests')
          .updateStatus({ ...request, status }, { signal }),
      );
    };

    const signedStatus = async (request: CertificateSigningRequest): Promise<CertificateSigningRequest['status']> => {
      const { signerName, usages = [], expirationSeconds } = request.spec;
      const parsed = readRequest(request);
      const why = refusal(signerName, parsed, usages);
      if (why !== undefined) {
        const lastUpdateTime = formatTime(clock.now());
        return {
          ...request.status,
          conditions: [
            ...(request.status?.conditions ?? []),
            { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message: why, lastUpdateTime },
          ],
        };
      }
      const lifetimeMs = Math.min(expirationSeconds ?? Infinity, config.clusterSigningDurationSeconds) * 1000;
      const certificate = await authorities.get(signerName)!.sign(context, parsed, { usages, lifetimeMs });
      return { ...request.status, certificate: Buffer.from(certificate).toString('base64') };
    };

    const { queue, run } = keyedLoop(context, 'certificate', 5, reconcile);
    enqueueOnChange(requests, queue, (request) => (needsSigning(request) ? keyOf(request) : undefined));
    return run;
  },
};

/** The authority of each signer that has one. */
function authoritiesOf({
  clusterSigningCertificate,
  clusterSigningKey,
  signerAuthorities = {},
}: ControllerManagerConfig): Map<string, CertificateAuthority> {
  const shared =
    clusterSigningCertificate !== undefined && clusterSigningKey !== undefined
      ? new CertificateAuthority(clusterSigningCertificate, clusterSigningKey)
      : undefined;
  const authorities = new Map<string, CertificateAuthority>();
  for (const signer of SIGNERS) {
    const own = signerAuthorities[signer];
    const authority = own ? new CertificateAuthority(own.certificate, own.key) : shared;
    if (authority) authorities.set(signer, authority);
  }
  return authorities;
}

const isApprovedOnly = (request: CertificateSigningRequest): boolean =>
  !request.status?.certificate &&
  hasCondition(request, 'Approved') &&
  !hasCondition(request, 'Denied') &&
  !hasCondition(request, 'Failed');
