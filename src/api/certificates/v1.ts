/** The certificates.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const certificatesV1: PackageDeclaration = {
  alias: 'certificates',
  group: 'certificates.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.certificates.v1',
  strings: {
    KeyUsage: [
      'signing',
      'digital signature',
      'content commitment',
      'key encipherment',
      'key agreement',
      'data encipherment',
      'cert sign',
      'crl sign',
      'encipher only',
      'decipher only',
      'any',
      'server auth',
      'client auth',
      'code signing',
      'email protection',
      's/mime',
      'ipsec end system',
      'ipsec tunnel',
      'ipsec user',
      'timestamping',
      'ocsp signing',
      'microsoft sgc',
      'netscape sgc',
    ],
    RequestConditionType: ['Approved', 'Denied', 'Failed'],
  },
  messages: {
    CertificateSigningRequest: object('Asks a signer for a certificate.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'CertificateSigningRequestSpec', 'The desired state, as the user asks for it.', {
        required: true,
        keep: true,
      }),
      status: field(3, 'CertificateSigningRequestStatus', 'The observed state, as the system last reported it.'),
    }),
    CertificateSigningRequestCondition: message("One aspect of the request's current state.", {
      type: field(1, 'RequestConditionType', 'Approved, Denied or Failed.', { required: true, keep: true }),
      status: field(6, 'core.ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
        required: true,
        keep: true,
      }),
      reason: field(2, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(3, 'string', 'Details of the last change, for people to read.'),
      lastUpdateTime: field(4, 'Time', 'When the condition was last written.'),
      lastTransitionTime: field(5, 'Time', 'When the status last changed.'),
    }),
    CertificateSigningRequestList: listOf('CertificateSigningRequest'),
    CertificateSigningRequestSpec: message('The request and who makes it; fixed after creation.', {
      request: field(1, 'bytes', 'PKCS#10 request in PEM, in base64.', { required: true, keep: true }),
      signerName: field(7, 'string', 'Signer that is asked, such as kubernetes.io/kube-apiserver-client.', {
        required: true,
        keep: true,
      }),
      expirationSeconds: field(8, '*int32', 'Wanted lifetime in seconds, at least 600; the signer may differ.'),
      usages: field(5, '[]KeyUsage', 'What the key is for, such as client auth or digital signature.', {
        list: 'atomic',
      }),
      username: field(2, 'string', 'Who made the request; set by the server.'),
      uid: field(3, 'string', 'UID of who made the request; set by the server.'),
      groups: field(4, '[]string', 'Groups of who made the request; set by the server.', { list: 'atomic' }),
      extra: field(6, 'map[string]ExtraValue', 'Further information about who made the request; set by the server.'),
    }),
    CertificateSigningRequestStatus: message('The decision and the certificate.', {
      conditions: field(1, '[]CertificateSigningRequestCondition', 'Approved, Denied or Failed, with reasons.', {
        list: { map: ['type'] },
      }),
      certificate: field(2, 'bytes', 'The certificate chain in PEM, in base64; set by the signer.'),
    }),
  },
  kinds: [
    {
      kind: 'CertificateSigningRequest',
      plural: 'certificatesigningrequests',
      namespaced: false,
      shortNames: ['csr'],
      subresources: {
        approval: { verbs: ['get', 'patch', 'update'] },
        status: { verbs: ['get', 'patch', 'update'] },
      },
      selectableFields: {
        'spec.signerName': 'spec.signerName',
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Age', 'string'),
        column('SignerName', 'string'),
        column('Requestor', 'string'),
        column('RequestedDuration', 'string'),
        column('Condition', 'string'),
      ],
    },
  ],
};
