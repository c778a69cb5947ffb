/** Validates updates of pods: only a few fields of the spec are mutable. */
import type { Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec } from '../../../../api/generated/core-v1.ts';
import { ownValue } from '../../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, type Path, required } from '../../../errors/index.ts';
import { rangeMessage } from '../../../names/index.ts';
import { semanticEqual } from '../../equality.ts';
import { goStruct, goStructs } from '../../go-struct.ts';
import type { ValidationContext } from '../../kind-validation.ts';
import { validateObjectMetaUpdate } from '../../object-meta.ts';
import { validateImageWhitespace } from './containers.ts';
import { internalPodSpecDiff } from './internal-pod-spec.ts';
import { podRules } from './pod-allowances.ts';
import { validatePodAnnotationsUpdate } from './pod-annotations.ts';
import { NO_SPEC, validatePodMetadataAndSpec } from './pod-metadata-and-spec.ts';
import { validateOnlyAddedTolerations } from './tolerations.ts';

const SPEC = path('spec');
const MAX_INT32 = 2 ** 31 - 1;

const UPDATABLE_FIELDS = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

export function podUpdate(errors: FieldError[], pod: Pod, old: Pod, context: ValidationContext): void {
  const rules = podRules(context, old);
  const { spec = NO_SPEC } = pod;
  const { spec: before = NO_SPEC } = old;
  validateObjectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {});
  validatePodMetadataAndSpec(errors, pod, rules);
  validatePodAnnotationsUpdate(errors, pod, old, { spec, allowInvalidDeletionCost: rules.allowInvalidDeletionCost });
  if (!validateImages(errors, spec.containers ?? [], before.containers ?? [], SPEC.child('containers'))) return;
  if (!validateImages(errors, spec.initContainers ?? [], before.initContainers ?? [], SPEC.child('initContainers')))
    return;
  if (!validateDeadline(errors, spec, before)) return;
  validateOnlyAddedTolerations(errors, spec.tolerations ?? [], before.tolerations ?? [], SPEC.child('tolerations'));
  validateOnlyRemovedGates(errors, spec, before);
  if (!semanticEqual(spec, before)) validateRest(errors, spec, before);
}

/** False if the remaining checks do not make sense. */
function validateImages(
  errors: FieldError[],
  containers: readonly Container[],
  old: readonly Container[],
  at: Path,
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbiddenField(at, 'pod updates may not add or remove containers'));
    return false;
  }
  for (const [i, { image }] of containers.entries()) {
    if (!image) errors.push(required(at.index(i).child('image')));
    validateImageWhitespace(errors, image, at.index(i));
  }
  return true;
}

/** activeDeadlineSeconds may be set or reduced. */
function validateDeadline(errors: FieldError[], spec: PodSpec, old: PodSpec): boolean {
  const here = SPEC.child('activeDeadlineSeconds');
  const { activeDeadlineSeconds: deadline } = spec;
  const { activeDeadlineSeconds: before } = old;
  if (deadline === undefined) {
    if (before !== undefined)
      errors.push(invalidValue(here, null, 'must not update from a positive integer to nil value'));
    return true;
  }
  if (deadline < 0 || deadline > MAX_INT32) {
    errors.push(invalidValue(here, deadline, rangeMessage(0, MAX_INT32)));
    return false;
  }
  if (before !== undefined && before < deadline) {
    errors.push(invalidValue(here, deadline, 'must be less than or equal to previous value'));
    return false;
  }
  return true;
}

function validateOnlyRemovedGates(
  errors: FieldError[],
  { schedulingGates = [] }: PodSpec,
  { schedulingGates: before = [] }: PodSpec,
): void {
  const known = new Set(before.map(({ name }) => name));
  for (const [i, { name }] of schedulingGates.entries()) {
    if (known.has(name)) continue;
    const here = SPEC.child('schedulingGates').index(i).child('name');
    errors.push(forbiddenField(here, `only deletion is allowed, but found new scheduling gate '${name}'`));
  }
}

/** With the mutable fields reset to their old values, the specs must be equal. */
function validateRest(errors: FieldError[], spec: PodSpec, old: PodSpec): void {
  const { activeDeadlineSeconds: _, schedulingGates: __, tolerations: ___, ...others } = spec;
  let restored: PodSpec = {
    ...others,
    containers: withImagesOf(spec.containers ?? [], old.containers ?? []),
    ...(spec.initContainers ? { initContainers: withImagesOf(spec.initContainers, old.initContainers ?? []) } : {}),
    ...(old.activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds: old.activeDeadlineSeconds }),
    ...(old.schedulingGates ? { schedulingGates: old.schedulingGates } : {}),
    ...(old.tolerations ? { tolerations: old.tolerations } : {}),
  };
  const grace = old.terminationGracePeriodSeconds;
  if (grace !== undefined && grace < 0 && restored.terminationGracePeriodSeconds === 1) {
    restored = { ...restored, terminationGracePeriodSeconds: grace };
  }
  if (old.schedulingGates?.length) restored = restoreGated(errors, restored, old);
  if (semanticEqual(restored, old)) return;
  const message = `pod updates may not change fields other than ${UPDATABLE_FIELDS}\n${internalPodSpecDiff(old, restored)}`;
  errors.push(forbiddenField(SPEC, message));
}

const withImagesOf = (containers: readonly Container[], old: readonly Container[]): Container[] =>
  containers.map((container, i) => {
    const { image: _, ...others } = container;
    const image = old[i]?.image;
    return image === undefined ? others : { ...others, image };
  });

/** While a pod has scheduling gates, its node selection may be narrowed. */
function restoreGated(errors: FieldError[], spec: PodSpec, old: PodSpec): PodSpec {
  let restored = spec;
  if (!semanticEqual(spec.nodeSelector, old.nodeSelector)) {
    const selector = spec.nodeSelector;
    if (Object.entries(old.nodeSelector ?? {}).some(([key, value]) => ownValue(selector, key) !== value)) {
      const message = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
      errors.push(invalidValue(SPEC.child('nodeSelector'), selector ?? null, message));
    }
    const { nodeSelector: _, ...others } = restored;
    restored = old.nodeSelector ? { ...others, nodeSelector: old.nodeSelector } : others;
  }
  const affinity = spec.affinity?.nodeAffinity;
  const before = old.affinity?.nodeAffinity;
  if (semanticEqual(affinity, before)) return restored;
  validateNodeAffinityNarrowed(errors, affinity, before);
  const { affinity: _, ...withoutAffinity } = restored;
  const { nodeAffinity: __, ...others } = spec.affinity ?? {};
  const restoredAffinity = before ? { ...others, nodeAffinity: before } : others;
  if (!old.affinity && Object.keys(restoredAffinity).length === 0) return withoutAffinity;
  return spec.affinity || before ? { ...withoutAffinity, affinity: restoredAffinity } : withoutAffinity;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const TERM = 'io.k8s.api.core.v1.NodeSelectorTerm';

function validateNodeAffinityNarrowed(
  errors: FieldError[],
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): void {
  const before = old?.[REQUIRED]?.nodeSelectorTerms ?? [];
  if (before.length === 0) return;
  const terms = affinity?.[REQUIRED]?.nodeSelectorTerms ?? [];
  const here = SPEC.child('affinity', 'nodeAffinity', REQUIRED, 'nodeSelectorTerms');
  if (before.length !== terms.length) {
    const shown = terms.length === 0 ? null : goStructs(TERM, terms);
    errors.push(invalidValue(here, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
    return;
  }
  for (const [i, term] of terms.entries()) {
    if (hasOnlyAdditions(term, before[i]!)) continue;
    errors.push(
      invalidValue(here.index(i), goStruct(TERM, term), 'only additions are allowed (no mutations or deletions)'),
    );
  }
}

function hasOnlyAdditions(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const [expressions, fields] = [old.matchExpressions ?? [], old.matchFields ?? []];
  if (expressions.length === 0 && fields.length === 0)
    return !term.matchExpressions?.length && !term.matchFields?.length;
  return (
    semanticEqual(term.matchExpressions?.slice(0, expressions.length), expressions) &&
    semanticEqual(term.matchFields?.slice(0, fields.length), fields)
  );
}
