/** Parses CertificateSigningRequests, and validates them by the rules of Kubernetes' own signers. */
import type { CertificateSigningRequest } from '../../api/generated/certificates-v1.ts';
import * as x509 from '../../net/x509/index.ts';

export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
export const API_CLIENT = 'kubernetes.io/kube-apiserver-client';
export const LEGACY_UNKNOWN = 'kubernetes.io/legacy-unknown';

export interface RequestedCertificate {
  readonly parsed: x509.Pkcs10CertificateRequest;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly names: readonly x509.GeneralName[];
  /** The subject alternative names. */
  readonly alternative: x509.SubjectAlternativeNameExtension | undefined;
}

/** Throws when spec.request is not a PEM-encoded request. */
export function readRequest({ spec }: CertificateSigningRequest): RequestedCertificate {
  const parsed = x509.certificateRequestInPem(Buffer.from(spec.request, 'base64').toString('latin1'));
  const alternative = parsed.extensions.find((extension) => extension instanceof x509.SubjectAlternativeNameExtension);
  const names = alternative?.names.items ?? [];
  return {
    parsed,
    alternative,
    commonName: parsed.subjectName.getField('CN')[0] ?? '',
    organizations: parsed.subjectName.getField('O'),
    names,
  };
}

export const hasCondition = ({ status }: CertificateSigningRequest, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');

/** Why the signer refuses an approved request; undefined when it signs. */
export function refusal(signer: string, request: RequestedCertificate, usages: readonly string[]): string | undefined {
  switch (signer) {
    case KUBELET_CLIENT:
      return kubeletClientRefusal(request, usages);
    case KUBELET_SERVING:
      return kubeletServingRefusal(request, usages);
    case API_CLIENT:
      return clientRefusal(usages);
    default:
      return undefined;
  }
}

export function kubeletClientRefusal(
  { organizations, commonName, names }: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes')
    return 'subject organization is not system:nodes';
  for (const [type, label] of [
    ['dns', 'DNS'],
    ['email', 'Email'],
    ['ip', 'IP'],
    ['url', 'URI'],
  ] as const) {
    if (names.some((name) => name.type === type)) return `${label} subjectAltNames are not allowed`;
  }
  if (!commonName.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  return usagesRefusal(usages, 'client auth');
}

function kubeletServingRefusal(
  { organizations, commonName, names }: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes')
    return 'subject organization is not system:nodes';
  if (!names.some(({ type }) => type === 'dns' || type === 'ip')) return 'DNS or IP subjectAltName is required';
  if (names.some(({ type }) => type === 'email')) return 'Email subjectAltNames are not allowed';
  if (names.some(({ type }) => type === 'url')) return 'URI subjectAltNames are not allowed';
  return (
    usagesRefusal(usages, 'server auth') ??
    (commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:')
  );
}

function clientRefusal(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !['digital signature', 'key encipherment', 'client auth'].includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** `key encipherment` is optional, because elliptic curve keys cannot be used for it. */
function usagesRefusal(usages: readonly string[], auth: string): string | undefined {
  const required = ['digital signature', 'key encipherment', auth].sort();
  const given = [...new Set(usages)].sort().join();
  return given === required.join() || given === required.filter((usage) => usage !== 'key encipherment').join()
    ? undefined
    : `usages did not match [${required.join(' ')}]`;
}
