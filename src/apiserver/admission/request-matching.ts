/** Matches requests against the rules, objectSelector and namespaceSelector of webhooks and policies. */
import type { RuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import type { LabelSelector } from '../../api/generated/meta-v1.ts';
import { whenDone } from '../../base/index.ts';
import { internalError, isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { labelSelectorAsSelector, type LabelSelectorMatcher } from '../../machinery/selectors/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { AdmissionAttributes } from './admission.ts';

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

const POLICY_KINDS = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Webhooks and policies do not apply to their own configurations: otherwise nobody could remove a broken one. */
export const isExemptAdmissionConfigurationResource = ({ kind }: AdmissionAttributes): boolean =>
  kind.group === 'admissionregistration.k8s.io' && POLICY_KINDS.has(kind.kind);

/** The namespace of a request; for a Namespace object the namespace itself. */
export function namespaceOf({ served, namespace, name, object }: AdmissionAttributes): string {
  if (served.plural !== 'namespaces' || served.group !== '') return namespace;
  return name || object?.metadata?.name || '';
}

const isNamespaces = ({ group, version, plural }: ResourceName): boolean =>
  group === '' && version === 'v1' && plural === 'namespaces';

export function matchesRule(
  rule: RuleWithOperations,
  attributes: AdmissionAttributes,
  resource: ResourceName,
): boolean {
  return (
    includes(rule.operations, attributes.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    matchesResource(rule.resources, resource.plural, attributes.subresource) &&
    matchesScope(rule.scope, attributes, resource)
  );
}

const includes = (items: readonly string[] | undefined, wanted: string): boolean =>
  items?.some((item) => item === '*' || item === wanted) ?? false;

function matchesResource(patterns: readonly string[] | undefined, plural: string, subresource: string): boolean {
  return (patterns ?? []).some((pattern) => {
    const slash = pattern.indexOf('/');
    const [resource, sub] = slash < 0 ? [pattern, ''] : [pattern.slice(0, slash), pattern.slice(slash + 1)];
    return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource);
  });
}

function matchesScope(scope: string | undefined, attributes: AdmissionAttributes, resource: ResourceName): boolean {
  if (scope === undefined || scope === '*') return true;
  const clusterScoped = isNamespaces(resource) || namespaceOf(attributes) === '';
  return clusterScoped ? scope === 'Cluster' : scope === 'Namespaced';
}

/** The other groups and versions that serve the same objects (matchPolicy: Equivalent). */
export function equivalentResources(registry: Registry, served: ServedResource): ServedResource[] {
  return registry
    .all()
    .filter((other) => other !== served && other.stored === served.stored && other.verbs.includes('get'));
}

/** A selector that is compiled on first use; an invalid one fails then. */
export class LazySelector {
  #compiled: LabelSelectorMatcher | undefined;
  readonly #selector: LabelSelector | undefined;

  constructor(selector: LabelSelector | undefined) {
    this.#selector = selector;
  }

  get compiled(): LabelSelectorMatcher {
    return (this.#compiled ??= this.#compile());
  }

  #compile(): LabelSelectorMatcher {
    try {
      return labelSelectorAsSelector(this.#selector ?? {});
    } catch (error) {
      throw isStatusError(error) ? internalError(error.message) : error;
    }
  }
}

/** Matches if the selector matches the new or the old object. */
export function matchesObjectSelector(selector: LazySelector, { object, oldObject }: AdmissionAttributes): boolean {
  const { compiled } = selector;
  return (
    compiled.isEmpty ||
    [object, oldObject].some((candidate) => candidate !== undefined && compiled.matches(candidate.metadata?.labels))
  );
}

/** Every namespace selector matches cluster-scoped objects. */
export function matchesNamespaceSelector(
  selector: LazySelector,
  attributes: AdmissionAttributes,
): boolean | Promise<boolean> {
  const namespace = namespaceOf(attributes);
  const isNamespace = attributes.served.plural === 'namespaces';
  if (namespace === '' && !isNamespace) return true;
  const { compiled } = selector;
  if (compiled.isEmpty) return true;
  if (
    isNamespace &&
    attributes.subresource === '' &&
    (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE')
  ) {
    return compiled.matches(attributes.object?.metadata.labels);
  }
  return whenDone(namespaceObject(attributes.registry, namespace), ({ metadata }) => compiled.matches(metadata.labels));
}

/** From the watch cache, or from the store if another API server has just created it. Throws a 404. */
export function namespaceObject(registry: Registry, name: string): KubeObject | Promise<KubeObject> {
  const cached = registry.lookup('', 'v1', 'namespaces', '', name);
  if (cached) return cached;
  return registry.objects
    .fresh(registry.require('', 'v1', 'namespaces'), { namespace: '', name })
    .then((entry) => entry.object);
}
