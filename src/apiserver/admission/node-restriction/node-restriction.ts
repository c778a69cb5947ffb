/** NodeRestriction: a kubelet may only write its own Node, its own pods, and the objects that belong to them. */
import type { CertificateSigningRequest } from '../../../api/generated/certificates-v1.ts';
import type { PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { errorMessage } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Authorizer } from '../../authz/authorizer.ts';
import { nodeNameOf } from '../../authz/node/node-identity.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { requestedSubject } from '../certificate-subject.ts';
import { newForbidden } from '../new-forbidden.ts';
import type { NodeRequest } from './node-request.ts';
import { admitNode } from './nodes.ts';
import { onlyStatusFieldsChanged } from './only-status-fields-changed.ts';
import { admitPodCertificateRequest } from './pod-certificate-requests.ts';
import { admitEviction, admitPod, admitPodStatus } from './pods.ts';
import { admitTokenRequest } from './token-requests.ts';

type Rule = (request: NodeRequest) => void | Promise<void>;

const POD_SUBRESOURCES: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({ '': admitPod, status: admitPodStatus, eviction: admitEviction }),
);

const RULES: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    '/pods'(request) {
      const { subresource } = request.attributes;
      const rule = POD_SUBRESOURCES.get(subresource);
      if (!rule)
        throw newForbidden(
          request.attributes,
          `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
        );
      return rule(request);
    },
    '/nodes': admitNode,
    '/persistentvolumeclaims': admitClaim,
    '/serviceaccounts': admitTokenRequest,
    'coordination.k8s.io/leases': admitLease,
    'storage.k8s.io/csinodes': admitCsiNode,
    'resource.k8s.io/resourceslices': admitResourceSlice,
    'certificates.k8s.io/certificatesigningrequests': admitCertificateRequest,
    'certificates.k8s.io/podcertificaterequests': admitPodCertificateRequest,
  }),
);

const ruleOf = ({ served }: AdmissionAttributes): Rule | undefined => RULES.get(`${served.group}/${served.plural}`);

export const nodeRestrictionPlugin = (registry: Registry, authorizer: Authorizer): AdmissionPlugin => ({
  name: 'NodeRestriction',
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  matches: ({ user }) => nodeNameOf(user) !== undefined,
  admit(attributes) {
    const nodeName = nodeNameOf(attributes.user)!;
    if (nodeName === '')
      throw newForbidden(attributes, `could not determine node from user ${JSON.stringify(attributes.user.name)}`);
    return ruleOf(attributes)?.({ nodeName, attributes, registry, authorizer });
  },
});

const MUTABLE_CLAIM_STATUS_FIELDS = [
  'capacity',
  'conditions',
  'allocatedResourceStatuses',
  'allocatedResources',
] as const;

function admitClaim({ nodeName, attributes }: NodeRequest): void {
  if (attributes.subresource !== 'status') throw newForbidden(attributes, 'may only update PVC status');
  if (attributes.operation !== 'UPDATE')
    throw newForbidden(attributes, `unexpected operation "${attributes.operation}"`);
  const [claim, old] = [attributes.object, attributes.oldObject] as [
    PersistentVolumeClaim & KubeObject,
    PersistentVolumeClaim & KubeObject,
  ];
  if (onlyStatusFieldsChanged(claim, old, MUTABLE_CLAIM_STATUS_FIELDS)) return;
  throw newForbidden(
    attributes,
    `node "${nodeName}" is not allowed to update fields other than status.quantity and status.conditions`,
  );
}

const NODE_LEASES = 'kube-node-lease';

/** On create the name is in the object, otherwise in the request. */
const nameOf = ({ operation, name, object }: AdmissionAttributes): string | undefined =>
  operation === 'CREATE' ? object!.metadata.name : name;

function admitLease({ nodeName, attributes }: NodeRequest): void {
  if (attributes.namespace !== NODE_LEASES)
    throw newForbidden(attributes, `can only access leases in the "${NODE_LEASES}" system namespace`);
  if (nameOf(attributes) !== nodeName)
    throw newForbidden(attributes, 'can only access node lease with the same name as the requesting node');
}

function admitCsiNode({ nodeName, attributes }: NodeRequest): void {
  if (nameOf(attributes) !== nodeName)
    throw newForbidden(attributes, 'can only access CSINode with the same name as the requesting node');
}

/** The node authorizer sees neither the object of a create nor the objects of a deletecollection. */
function admitResourceSlice({ nodeName, attributes }: NodeRequest): void {
  const { operation, object, oldObject } = attributes;
  if (operation === 'UPDATE') return;
  const slice = (operation === 'CREATE' ? object : oldObject) as { spec?: { nodeName?: string } } | undefined;
  if (slice?.spec?.nodeName === nodeName) return;
  throw newForbidden(
    attributes,
    `can only ${operation === 'CREATE' ? 'create' : 'delete'} ResourceSlice with the same NodeName as the requesting node`,
  );
}

const NODE_SIGNERS = new Set(['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet']);

function admitCertificateRequest({ nodeName, attributes }: NodeRequest): void {
  if (attributes.operation !== 'CREATE') return;
  const { spec } = attributes.object as CertificateSigningRequest & KubeObject;
  if (!NODE_SIGNERS.has(spec.signerName)) return;
  let commonName: string;
  try {
    ({ commonName } = requestedSubject(spec.request));
  } catch (error) {
    throw newForbidden(attributes, `unable to parse csr: ${errorMessage(error)}`);
  }
  if (commonName !== `system:node:${nodeName}`)
    throw newForbidden(attributes, `can only create a node CSR with CN=system:node:${nodeName}`);
}
