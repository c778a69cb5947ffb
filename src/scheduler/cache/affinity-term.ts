import type { Pod, PodAffinityTerm } from '../../api/generated/core-v1.ts';
import { labelSelectorAsSelector, type LabelSelectorMatcher } from '../../machinery/selectors/index.ts';

type Labels = Readonly<Record<string, string>>;

/** An affinity or anti-affinity term, compiled to be matched against other pods. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelectorMatcher | undefined;
  readonly selector: LabelSelectorMatcher;
  readonly topologyKey: string;
  /** Of a preferred term; 0 for a required one. */
  readonly weight: number;
}

/** The labels of a namespace; empty for an unknown one. */
export type NamespaceLabels = (namespace: string) => Labels;

export function termMatches(term: AffinityTerm, namespace: string, labels: Labels, labelsOf: NamespaceLabels): boolean {
  if (
    !term.namespaces.has(namespace) &&
    !(term.namespaceSelector !== undefined && term.namespaceSelector.matches(labelsOf(namespace)))
  )
    return false;
  return term.selector.matches(labels);
}

export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
}

const NO_TERMS: readonly AffinityTerm[] = [];
export const NO_AFFINITY: AffinityTerms = {
  requiredAffinity: NO_TERMS,
  requiredAntiAffinity: NO_TERMS,
  preferredAffinity: NO_TERMS,
  preferredAntiAffinity: NO_TERMS,
};

export function affinityTermsOf(pod: Pod): AffinityTerms {
  const affinity = pod.spec?.affinity;
  if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) return NO_AFFINITY;
  const namespace = pod.metadata.namespace ?? '';
  const required = (terms: readonly PodAffinityTerm[] | undefined): AffinityTerm[] =>
    (terms ?? []).map((term) => compile(namespace, term, 0));
  const preferred = (
    terms: readonly { weight: number; podAffinityTerm: PodAffinityTerm }[] | undefined,
  ): AffinityTerm[] => (terms ?? []).map((term) => compile(namespace, term.podAffinityTerm, term.weight));
  return {
    requiredAffinity: required(affinity.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: required(affinity.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: preferred(affinity.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: preferred(affinity.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

/** Without namespaces and a selector for them, a term means the pod's own namespace. */
function compile(namespace: string, term: PodAffinityTerm, weight: number): AffinityTerm {
  const named = term.namespaces ?? [];
  return {
    namespaces: new Set(named.length === 0 && term.namespaceSelector === undefined ? [namespace] : named),
    namespaceSelector:
      term.namespaceSelector === undefined ? undefined : labelSelectorAsSelector(term.namespaceSelector),
    selector: labelSelectorAsSelector(term.labelSelector),
    topologyKey: term.topologyKey,
    weight,
  };
}
