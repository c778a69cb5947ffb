/**
 * Objects of removed versions whose fields or their meaning differ from the served version's: the same objects in the
 * version that is served.
 */
import { isRecord } from '../../../base/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';

export type ToServed = (object: KubeObject) => KubeObject;

type Fields = Record<string, unknown>;

const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const EMPTY_SELECTOR = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

const changeSpec =
  (change: (spec: Fields) => Fields): ToServed =>
  (object) =>
    isRecord(object['spec']) ? { ...object, spec: change(object['spec']) } : object;

function annotated(object: KubeObject, name: string, value: string | undefined): KubeObject {
  const { [name]: _, ...annotations } = object.metadata.annotations ?? {};
  if (value !== undefined) annotations[name] = value;
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function deployment(object: KubeObject): KubeObject {
  const { rollbackTo, ...spec } = fieldsOf(object['spec']);
  const revision = isRecord(rollbackTo) ? String(rollbackTo['revision'] ?? 0) : undefined;
  return annotated({ ...object, spec }, ROLLBACK_TO, revision);
}

function daemonSet(object: KubeObject): KubeObject {
  const { templateGeneration = 0, ...spec } = fieldsOf(object['spec']);
  return annotated({ ...object, spec }, TEMPLATE_GENERATION, String(templateGeneration));
}

function ingressBackend({ serviceName = '', servicePort, ...rest }: Fields): Fields {
  if (serviceName === '' && (servicePort === undefined || servicePort === 0)) return rest;
  const port = typeof servicePort === 'string' ? { name: servicePort } : { number: servicePort ?? 0 };
  return { ...rest, service: { name: serviceName, port } };
}

const ingress = changeSpec(({ backend, rules, ...spec }) => ({
  ...spec,
  ...(isRecord(backend) ? { defaultBackend: ingressBackend(backend) } : {}),
  ...(rules ? { rules: listOf(rules).map(ingressRule) } : {}),
}));

function ingressRule({ http, ...rule }: Fields): Fields {
  if (!isRecord(http)) return rule;
  const paths = listOf(http['paths']).map((path) => ({ ...path, backend: ingressBackend(fieldsOf(path['backend'])) }));
  return { ...rule, http: { ...http, paths } };
}

function endpoint({ topology, ...rest }: Fields): Fields {
  const { [ZONE]: zone, ...others } = fieldsOf(topology);
  if (others[HOSTNAME] === rest['nodeName']) delete others[HOSTNAME];
  return {
    ...rest,
    ...(Object.keys(others).length > 0 ? { deprecatedTopology: others } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
}

const endpointSlice: ToServed = (object) => ({ ...object, endpoints: listOf(object['endpoints']).map(endpoint) });

const priorityLevel = changeSpec(({ limited, ...spec }) => {
  if (!isRecord(limited)) return spec;
  const { assuredConcurrencyShares, ...rest } = limited;
  return { ...spec, limited: { nominalConcurrencyShares: assuredConcurrencyShares, ...rest } };
});

function runtimeClass({ spec, ...rest }: KubeObject): KubeObject {
  const { runtimeHandler, ...fields } = fieldsOf(spec);
  return { ...rest, handler: runtimeHandler, ...fields } as KubeObject;
}

/** In v1alpha1 the user `*` is every authenticated user, and the groups of the known kinds are implied. */
function subject({ apiVersion, ...rest }: Fields): Fields {
  const { kind, name } = rest;
  if (kind === 'ServiceAccount') return rest;
  if (kind === 'User' && name === '*')
    return { ...rest, kind: 'Group', name: 'system:authenticated', apiGroup: RBAC_GROUP };
  if (kind === 'User' || kind === 'Group') return { ...rest, apiGroup: RBAC_GROUP };
  const [group = '', version] = String(apiVersion ?? '').split('/');
  return { ...rest, apiGroup: version === undefined ? '' : group };
}

const roleBinding: ToServed = ({ subjects, ...rest }) =>
  ({ ...rest, ...(subjects ? { subjects: listOf(subjects).map(subject) } : {}) }) as KubeObject;

/** An empty selector selects no pods in v1beta1 and all pods in v1; each version writes the other's with a label of its own. */
const disruptionBudget = changeSpec((spec) => {
  const { selector } = spec;
  if (!isRecord(selector)) return spec;
  const expressions = listOf(selector['matchExpressions']);
  const others = expressions.filter(({ key }) => key !== EMPTY_SELECTOR);
  const labels = Object.keys(fieldsOf(selector['matchLabels'])).length;
  if (labels === 0 && expressions.length === 0)
    return { ...spec, selector: { matchExpressions: [{ key: EMPTY_SELECTOR, operator: 'Exists' }] } };
  return others.length === expressions.length ? spec : { ...spec, selector: { ...selector, matchExpressions: others } };
});

const same: ToServed = (object) => object;

/** By stored version and kind: the version that is served, and the conversion to it. */
export const fromRemovedVersions: Readonly<Record<string, readonly [servedAs: string, convert: ToServed]>> = {
  'apps/v1beta1 Deployment': ['apps/v1', deployment],
  'discovery.k8s.io/v1beta1 EndpointSlice': ['discovery.k8s.io/v1', endpointSlice],
  'extensions/v1beta1 DaemonSet': ['apps/v1', daemonSet],
  'extensions/v1beta1 Deployment': ['apps/v1', deployment],
  'extensions/v1beta1 Ingress': ['networking.k8s.io/v1', ingress],
  'flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration': ['flowcontrol.apiserver.k8s.io/v1', priorityLevel],
  'flowcontrol.apiserver.k8s.io/v1beta2 PriorityLevelConfiguration': ['flowcontrol.apiserver.k8s.io/v1', priorityLevel],
  'networking.k8s.io/v1beta1 Ingress': ['networking.k8s.io/v1', ingress],
  'node.k8s.io/v1alpha1 RuntimeClass': ['node.k8s.io/v1', runtimeClass],
  'policy/v1beta1 PodDisruptionBudget': ['policy/v1', disruptionBudget],
  // Only the protobuf numbers of their rules differ.
  [`${RBAC_GROUP}/v1alpha1 ClusterRole`]: [`${RBAC_GROUP}/v1`, same],
  [`${RBAC_GROUP}/v1alpha1 ClusterRoleBinding`]: [`${RBAC_GROUP}/v1`, roleBinding],
  [`${RBAC_GROUP}/v1alpha1 Role`]: [`${RBAC_GROUP}/v1`, same],
  [`${RBAC_GROUP}/v1alpha1 RoleBinding`]: [`${RBAC_GROUP}/v1`, roleBinding],
};
