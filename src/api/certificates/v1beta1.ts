/** The certificates.k8s.io group, v1beta1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const certificatesV1beta1: PackageDeclaration = {
  alias: 'certificatesv1beta1',
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  prefix: 'io.k8s.api.certificates.v1beta1',
  strings: {},
  messages: {
    ClusterTrustBundle: object('Trust anchors (root certificates) for the whole cluster.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'ClusterTrustBundleSpec', 'The signer and its trust anchors.', { required: true, keep: true }),
    }),
    ClusterTrustBundleList: listOf('ClusterTrustBundle'),
    ClusterTrustBundleSpec: message('The signer and its trust anchors.', {
      signerName: field(1, 'string', 'Signer whose certificates the anchors verify; fixed. Empty for none.'),
      trustBundle: field(2, 'string', 'The anchors: CA certificates in PEM.', { required: true, keep: true }),
    }),
    PodCertificateRequest: object('Asks a signer for a certificate of a Pod; made by the kubelet.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'PodCertificateRequestSpec', 'The request; fixed after creation.', { required: true, keep: true }),
      status: field(3, 'PodCertificateRequestStatus', 'The observed state, as the signer last reported it.'),
    }),
    PodCertificateRequestList: listOf('PodCertificateRequest'),
    PodCertificateRequestSpec: message('The Pod, its identity and its key.', {
      signerName: field(1, 'string', 'Signer that is asked.', { required: true, keep: true }),
      podName: field(2, 'string', 'Name of the Pod.', { required: true, keep: true }),
      podUID: field(3, 'string', 'UID of the Pod.', { required: true, keep: true }),
      serviceAccountName: field(4, 'string', 'ServiceAccount of the Pod.', { required: true, keep: true }),
      serviceAccountUID: field(5, 'string', 'UID of the ServiceAccount.', { required: true, keep: true }),
      nodeName: field(6, 'string', 'Node that the Pod is on.', { required: true, keep: true }),
      nodeUID: field(7, 'string', 'UID of the node.', { required: true, keep: true }),
      maxExpirationSeconds: field(8, '*int32', 'Longest lifetime of the certificate in seconds, at least 3600.', {
        default: 86400,
        statesDefault: true,
      }),
      pkixPublicKey: field(9, 'bytes', 'Public key in PKIX form; stubPKCS10Request takes its place.', { keep: true }),
      proofOfPossession: field(10, 'bytes', "Signature of the Pod's UID with the key.", { keep: true }),
      stubPKCS10Request: field(12, 'bytes', 'PKCS#10 request in DER that carries the public key.', {
        required: true,
        keep: true,
      }),
      unverifiedUserAnnotations: field(11, 'map[string]string', 'What the Pod tells the signer; nobody verified it.'),
    }),
    PodCertificateRequestStatus: message('The decision and the certificate.', {
      conditions: field(1, '[]meta.Condition', 'Issued, Denied or Failed, with reasons.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
      certificateChain: field(2, 'string', 'The certificate in PEM, followed by intermediates.'),
      notBefore: field(4, '*Time', 'When the certificate becomes valid.'),
      beginRefreshAt: field(5, '*Time', 'When the kubelet should ask for the next one.'),
      notAfter: field(6, '*Time', 'When the certificate expires.'),
    }),
  },
  kinds: [
    {
      kind: 'ClusterTrustBundle',
      plural: 'clustertrustbundles',
      namespaced: false,
      gate: 'ClusterTrustBundle',
      selectableFields: { 'spec.signerName': 'spec.signerName' },
      columns: [column('Name', 'string', 0, 'name'), column('SignerName', 'string')],
    },
    {
      kind: 'PodCertificateRequest',
      plural: 'podcertificaterequests',
      namespaced: true,
      gate: 'PodCertificateRequest',
      subresources: { status: { verbs: ['get', 'patch', 'update'] } },
      selectableFields: {
        'spec.signerName': 'spec.signerName',
        'spec.podName': 'spec.podName',
        'spec.nodeName': 'spec.nodeName',
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('PodName', 'string'),
        column('ServiceAccountName', 'string'),
        column('NodeName', 'string'),
        column('SignerName', 'string'),
        column('State', 'string'),
        column('UnverifiedUserAnnotations', 'string'),
      ],
    },
  ],
};
