/**
 * The node authorizer: a kubelet may read the objects that its pods need, and write its own objects. If the request does
 * not have enough information (the name of an object to create), NodeRestriction admission decides.
 */
import type { PolicyRule } from '../../../api/generated/rbac-v1.ts';
import { quote } from '../../../base/index.ts';
import type { UserInfo } from '../../request/request.ts';
import {
  ALLOW,
  NO_OPINION,
  noOpinion,
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  type ResolvedRules,
} from '../authorizer.ts';
import { RuleIndex } from '../rule-index.ts';
import type { NodeGraph, Vertex } from './node-graph.ts';
import { nodeNameOf } from './node-identity.ts';

const NODE_LEASES = 'kube-node-lease';

type Check = (graph: NodeGraph, node: string, attributes: AuthorizationAttributes) => Decision;

export class NodeAuthorizer implements Authorizer {
  readonly name = 'Node';
  #rules = new RuleIndex<true>();
  readonly #graph: NodeGraph;

  /** `rules` apply to resources that have no check below. */
  constructor(graph: NodeGraph, rules: readonly PolicyRule[]) {
    this.#graph = graph;
    for (const rule of rules) this.#rules.add(rule, true);
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    const node = nodeNameOf(attributes.user);
    if (node === undefined) return NO_OPINION;
    if (node === '') return noOpinion(`unknown node for user ${quote(attributes.user.name)}`);
    const check = attributes.isResourceRequest
      ? CHECKS.get(`${attributes.apiGroup}/${attributes.resource}`)
      : undefined;
    if (check) return check(this.#graph, node, attributes);
    return this.#rules.find(attributes) ? ALLOW : NO_OPINION;
  }

  rulesFor(user: UserInfo): ResolvedRules {
    if (nodeNameOf(user) === undefined) return { rules: [], incomplete: false };
    return { rules: [], incomplete: true, error: 'node authorizer does not support user rule resolution' };
  }
}

const CHECKS: ReadonlyMap<string, Check> = new Map(
  Object.entries<Check>({
    '/secrets': (graph, node, attributes) => readOwn(graph, node, 'secret', attributes),
    '/configmaps': (graph, node, attributes) => readOwn(graph, node, 'configmap', attributes),
    '/persistentvolumeclaims': (graph, node, attributes) =>
      attributes.subresource === 'status'
        ? updateStatus(graph, node, 'pvc', attributes)
        : getOwn(graph, node, 'pvc', attributes),
    '/persistentvolumes': (graph, node, attributes) => getOwn(graph, node, 'pv', attributes),
    '/serviceaccounts': serviceAccounts,
    '/nodes': nodes,
    '/pods': pods,
    'coordination.k8s.io/leases': leases,
    'resource.k8s.io/resourceclaims': (graph, node, attributes) => getOwn(graph, node, 'resourceclaim', attributes),
    'resource.k8s.io/resourceslices': resourceSlices,
    'storage.k8s.io/csinodes': csiNodes,
    'storage.k8s.io/volumeattachments': (graph, node, attributes) =>
      getOwn(graph, node, 'volumeattachment', attributes),
    'certificates.k8s.io/podcertificaterequests': podCertificateRequests,
  }),
);

function related(
  graph: NodeGraph,
  node: string,
  vertex: Vertex,
  { namespace, name }: AuthorizationAttributes,
): Decision {
  if (name === '') return noOpinion('No Object name found');
  return graph.reaches(node, vertex, namespace, name)
    ? ALLOW
    : noOpinion(`no relationship found between node '${node}' and this object`);
}

function getOwn(graph: NodeGraph, node: string, vertex: Vertex, attributes: AuthorizationAttributes): Decision {
  if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type');
  if (attributes.subresource !== '') return noOpinion('cannot get subresource');
  return related(graph, node, vertex, attributes);
}

function readOwn(graph: NodeGraph, node: string, vertex: Vertex, attributes: AuthorizationAttributes): Decision {
  if (!['get', 'list', 'watch'].includes(attributes.verb)) return noOpinion('can only read resources of this type');
  if (attributes.subresource !== '') return noOpinion('cannot read subresource');
  if (attributes.namespace === '') return noOpinion('can only read namespaced object of this type');
  return related(graph, node, vertex, attributes);
}

function updateStatus(graph: NodeGraph, node: string, vertex: Vertex, attributes: AuthorizationAttributes): Decision {
  if (attributes.verb !== 'update' && attributes.verb !== 'patch')
    return noOpinion('can only get/update/patch this type');
  return related(graph, node, vertex, attributes);
}

function serviceAccounts(graph: NodeGraph, node: string, attributes: AuthorizationAttributes): Decision {
  if (attributes.verb === 'get' && attributes.subresource === '')
    return related(graph, node, 'serviceaccount', attributes);
  if (attributes.verb !== 'create' || attributes.name === '')
    return noOpinion('can only create tokens for individual service accounts');
  if (attributes.subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
  return related(graph, node, 'serviceaccount', attributes);
}

const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete'];

/** On create the name is in the body, and NodeRestriction checks it. */
function leases(_graph: NodeGraph, node: string, { verb, namespace, name }: AuthorizationAttributes): Decision {
  if (!OWN_VERBS.includes(verb)) return noOpinion('can only get, create, update, patch, or delete a node lease');
  if (namespace !== NODE_LEASES) return noOpinion(`can only access leases in the "${NODE_LEASES}" system namespace`);
  if (verb !== 'create' && name !== node)
    return noOpinion('can only access node lease with the same name as the requesting node');
  return ALLOW;
}

function csiNodes(_graph: NodeGraph, node: string, { verb, subresource, name }: AuthorizationAttributes): Decision {
  if (!OWN_VERBS.includes(verb)) return noOpinion('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return noOpinion('cannot authorize CSINode subresources');
  if (verb !== 'create' && name !== node)
    return noOpinion('can only access CSINode with the same name as the requesting node');
  return ALLOW;
}

function resourceSlices(graph: NodeGraph, node: string, attributes: AuthorizationAttributes): Decision {
  if (attributes.subresource !== '') return noOpinion('cannot authorize ResourceSlice subresources');
  switch (attributes.verb) {
    case 'create':
      return ALLOW;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(graph, node, 'resourceslice', attributes);
    case 'watch':
    case 'list':
    case 'deletecollection':
      if (selects(attributes, 'spec.nodeName', node)) return ALLOW;
      return noOpinion('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return noOpinion(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

function podCertificateRequests(graph: NodeGraph, node: string, attributes: AuthorizationAttributes): Decision {
  if (attributes.subresource !== '') return noOpinion('nodes may not access the pod certificate request subresources');
  if (attributes.verb === 'create') return ALLOW;
  if (attributes.verb === 'get') return related(graph, node, 'podcertificaterequest', attributes);
  if ((attributes.verb === 'list' || attributes.verb === 'watch') && selects(attributes, 'spec.nodeName', node))
    return ALLOW;
  return noOpinion('can only create, get, list, or watch pod certificate requests of this node');
}

function nodes(_graph: NodeGraph, node: string, { verb, subresource, name }: AuthorizationAttributes): Decision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOW : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  if (['create', 'update', 'patch'].includes(verb)) return ALLOW;
  if (!['get', 'list', 'watch'].includes(verb)) return NO_OPINION;
  if (name === node) return ALLOW;
  if (name === '') return noOpinion(`node '${node}' cannot read all nodes, only its own Node object`);
  return noOpinion(`node '${node}' cannot read '${name}', only its own Node object`);
}

function pods(graph: NodeGraph, node: string, attributes: AuthorizationAttributes): Decision {
  switch (attributes.subresource) {
    case '':
      return podsThemselves(graph, node, attributes);
    case 'status':
      return attributes.verb === 'update' || attributes.verb === 'patch' ? ALLOW : NO_OPINION;
    case 'eviction':
      return attributes.verb === 'create' ? ALLOW : NO_OPINION;
    default:
      return NO_OPINION;
  }
}

function podsThemselves(graph: NodeGraph, node: string, attributes: AuthorizationAttributes): Decision {
  switch (attributes.verb) {
    case 'get':
      return getOwn(graph, node, 'pod', attributes);
    case 'list':
    case 'watch':
      if (selects(attributes, 'spec.nodeName', node)) return ALLOW;
      if (attributes.name !== '') return related(graph, node, 'pod', attributes);
      return noOpinion('can only list/watch pods with spec.nodeName field selector');
    case 'create':
    case 'delete':
      return ALLOW;
    default:
      return NO_OPINION;
  }
}

const selects = ({ fieldSelector }: AuthorizationAttributes, field: string, value: string): boolean =>
  fieldSelector?.some((term) => term.field === field && term.operator === '=' && term.value === value) ?? false;
