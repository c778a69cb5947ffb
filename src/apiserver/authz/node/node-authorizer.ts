/**
 * What a kubelet may do: read what its own pods need, and write what is its own. Where the request does not show enough
 * (the name of an object to create), NodeRestriction admission decides later.
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

  /** `rules`: what every node may do, where no check below subdivides it. */
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
    '/secrets': (graph, node, asked) => readOwn(graph, node, 'secret', asked),
    '/configmaps': (graph, node, asked) => readOwn(graph, node, 'configmap', asked),
    '/persistentvolumeclaims': (graph, node, asked) =>
      asked.subresource === 'status' ? updateStatus(graph, node, 'pvc', asked) : getOwn(graph, node, 'pvc', asked),
    '/persistentvolumes': (graph, node, asked) => getOwn(graph, node, 'pv', asked),
    '/serviceaccounts': serviceAccounts,
    '/nodes': nodes,
    '/pods': pods,
    'coordination.k8s.io/leases': leases,
    'resource.k8s.io/resourceclaims': (graph, node, asked) => getOwn(graph, node, 'resourceclaim', asked),
    'resource.k8s.io/resourceslices': resourceSlices,
    'storage.k8s.io/csinodes': csiNodes,
    'storage.k8s.io/volumeattachments': (graph, node, asked) => getOwn(graph, node, 'volumeattachment', asked),
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

function getOwn(graph: NodeGraph, node: string, vertex: Vertex, asked: AuthorizationAttributes): Decision {
  if (asked.verb !== 'get') return noOpinion('can only get individual resources of this type');
  if (asked.subresource !== '') return noOpinion('cannot get subresource');
  return related(graph, node, vertex, asked);
}

function readOwn(graph: NodeGraph, node: string, vertex: Vertex, asked: AuthorizationAttributes): Decision {
  if (!['get', 'list', 'watch'].includes(asked.verb)) return noOpinion('can only read resources of this type');
  if (asked.subresource !== '') return noOpinion('cannot read subresource');
  if (asked.namespace === '') return noOpinion('can only read namespaced object of this type');
  return related(graph, node, vertex, asked);
}

function updateStatus(graph: NodeGraph, node: string, vertex: Vertex, asked: AuthorizationAttributes): Decision {
  if (asked.verb !== 'update' && asked.verb !== 'patch') return noOpinion('can only get/update/patch this type');
  return related(graph, node, vertex, asked);
}

function serviceAccounts(graph: NodeGraph, node: string, asked: AuthorizationAttributes): Decision {
  if (asked.verb === 'get' && asked.subresource === '') return related(graph, node, 'serviceaccount', asked);
  if (asked.verb !== 'create' || asked.name === '')
    return noOpinion('can only create tokens for individual service accounts');
  if (asked.subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
  return related(graph, node, 'serviceaccount', asked);
}

const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete'];

/** On create the name is in the body: NodeRestriction compares it. */
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

function resourceSlices(graph: NodeGraph, node: string, asked: AuthorizationAttributes): Decision {
  if (asked.subresource !== '') return noOpinion('cannot authorize ResourceSlice subresources');
  switch (asked.verb) {
    case 'create':
      return ALLOW;
    case 'get':
    case 'update':
    case 'patch':
    case 'delete':
      return related(graph, node, 'resourceslice', asked);
    case 'watch':
    case 'list':
    case 'deletecollection':
      if (selects(asked, 'spec.nodeName', node)) return ALLOW;
      return noOpinion('can only list/watch/deletecollection resourceslices with nodeName field selector');
    default:
      return noOpinion(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
  }
}

function podCertificateRequests(graph: NodeGraph, node: string, asked: AuthorizationAttributes): Decision {
  if (asked.subresource !== '') return noOpinion('nodes may not access the pod certificate request subresources');
  if (asked.verb === 'create') return ALLOW;
  if (asked.verb === 'get') return related(graph, node, 'podcertificaterequest', asked);
  if ((asked.verb === 'list' || asked.verb === 'watch') && selects(asked, 'spec.nodeName', node)) return ALLOW;
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

function pods(graph: NodeGraph, node: string, asked: AuthorizationAttributes): Decision {
  switch (asked.subresource) {
    case '':
      return podsThemselves(graph, node, asked);
    case 'status':
      return asked.verb === 'update' || asked.verb === 'patch' ? ALLOW : NO_OPINION;
    case 'eviction':
      return asked.verb === 'create' ? ALLOW : NO_OPINION;
    default:
      return NO_OPINION;
  }
}

function podsThemselves(graph: NodeGraph, node: string, asked: AuthorizationAttributes): Decision {
  switch (asked.verb) {
    case 'get':
      return getOwn(graph, node, 'pod', asked);
    case 'list':
    case 'watch':
      if (selects(asked, 'spec.nodeName', node)) return ALLOW;
      if (asked.name !== '') return related(graph, node, 'pod', asked);
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
