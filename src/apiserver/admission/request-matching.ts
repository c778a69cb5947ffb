import type { RuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import type { LabelSelector } from '../../api/generated/meta-v1.ts';
/** Which requests a webhook or policy is about: its rules, and the labels of the object and of its namespace. */
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

/** What decides about requests is not itself decided about: else a bad one could never be removed again. */
export const isExempt = ({ kind }: AdmissionAttributes): boolean =>
  kind.group === 'admissionregistration.k8s.io' && POLICY_KINDS.has(kind.kind);

/** A namespace counts as being in itself. */
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

/** The other versions (and groups) in which the same objects are served. */
export function equivalentsOf(registry: Registry, served: ServedResource): ServedResource[] {
  return registry
    .all()
    .filter((other) => other !== served && other.stored === served.stored && other.verbs.includes('get'));
}

/** A selector that is compiled when it is first needed; what is wrong with it shows then. */
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

/** Either the new or the old object is enough. */
export function matchesObjectSelector(selector: LazySelector, { object, oldObject }: AdmissionAttributes): boolean {
  const { compiled } = selector;
  return (
    compiled.isEmpty ||
    [object, oldObject].some((candidate) => candidate !== undefined && compiled.matches(candidate.metadata?.labels))
  );
}

/** Requests for what is in no namespace are matched by every namespace selector. */
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

/** From the cache, or from the store when another server has just made it; fails with 404. */
export function namespaceObject(registry: Registry, name: string): KubeObject | Promise<KubeObject> {
  const known = registry.lookup('', 'v1', 'namespaces', '', name);
  if (known) return known;
  return registry.objects
    .fresh(registry.require('', 'v1', 'namespaces'), { namespace: '', name })
    .then((entry) => entry.object);
}
