/** Validation of Jobs. */
import type { Job, JobSpec } from '../../../api/generated/batch-v1.ts';
import type { Container, PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { type FieldError, invalidValue, path, type Path, required } from '../../errors/index.ts';
import { dns1123Label, IMMUTABLE_MESSAGE, nameIsDnsSubdomain } from '../../names/index.ts';
import { isUsableSelector, selectorMatches, validateTemplateLabels } from '../apps/selector-match.ts';
import { ownerNameWarning, podTemplateWarnings } from '../apps/template-warnings.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { isNewGeneration, metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { validateJobSpecFields } from './job-spec.ts';
import { validateJobStatus, validateJobStatusUpdate } from './job-status.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;
const EMPTY_SPEC: JobSpec = { template: {} };

export const job: KindValidation<Job> = {
  create: [
    metadata(META_RULES),
    (errors, object) => validateGeneratedSelector(errors, object, true),
    (errors, object, context) => validateSpec(errors, object.spec ?? EMPTY_SPEC, { old: undefined, context }),
    (errors, object) => validateIndexedPodNames(errors, object),
  ],
  // As upstream, an update validates the Job and the change, so errors of the spec appear twice.
  update: [
    metadataAgain(META_RULES),
    (errors, object, old) => validateGeneratedSelector(errors, object, hasPrefixedLabels(old)),
    (errors, object, old, context) => validateSpec(errors, object.spec ?? EMPTY_SPEC, { old: old.spec, context }),
    (errors, object) => validateIndexedPodNames(errors, object),
    metadataUpdate,
    (errors, object, old, context) => validateSpec(errors, object.spec ?? EMPTY_SPEC, { old: old.spec, context }),
    (errors, object, old) => validateSpecUpdate(errors, object.spec ?? EMPTY_SPEC, old),
  ],
  status: [
    metadataUpdate,
    (errors, object, old) => validateJobStatus(errors, object, old),
    (errors, object, old) => validateJobStatusUpdate(errors, object, old),
  ],
  warnings: [ownerNameWarning, manyIndexesWarning, podTemplateWarnings],
};

interface SpecScope {
  readonly old: JobSpec | undefined;
  readonly context: ValidationContext;
}

function validateSpec(errors: FieldError[], spec: JobSpec, { old, context }: SpecScope): void {
  validateJobSpecFields(errors, spec, SPEC, { old: old?.template, context });
  if (!spec.selector) errors.push(required(SPEC.child('selector')));
  else validateLabelSelector(errors, spec.selector, SPEC.child('selector'));
  if (isUsableSelector(spec.selector))
    validateTemplateLabels(errors, spec.selector, spec.template, SPEC.child('template'));
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';
const TEMPLATE_METADATA = SPEC.child('template', 'metadata');

/** Checks the labels that the server generates for a Job without manualSelector. */
function validateGeneratedSelector(errors: FieldError[], object: Job, prefixedLabels: boolean): void {
  const { spec, metadata: meta } = object;
  if (spec?.manualSelector || !spec?.selector) return;
  const uid = meta.uid ?? '';
  const name = meta.name ?? '';
  if (uid === '') errors.push(required(path('metadata', 'uid')));
  const expected: Record<string, string> = { 'controller-uid': uid, 'job-name': name };
  if (prefixedLabels) Object.assign(expected, { [CONTROLLER_UID]: uid, [JOB_NAME]: name });
  const labels = spec.template?.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(expected))
    validateHasLabel(errors, labels, { key, value }, TEMPLATE_METADATA.child('labels'));
  if (isUsableSelector(spec.selector) && !selectorMatches(spec.selector, expected)) {
    errors.push(invalidValue(SPEC.child('selector'), spec.selector, '`selector` not auto-generated'));
  }
}

function validateHasLabel(
  errors: FieldError[],
  labels: Readonly<Record<string, string>>,
  { key, value }: { key: string; value: string },
  at: Path,
): void {
  const actual = ownValue(labels, key);
  if (actual === undefined) errors.push(required(at.key(key), `must be '${value}'`));
  else if (actual !== value) errors.push(invalidValue(at.key(key), sorted(labels), `must be '${value}'`));
}

/** As Go shows a map. */
const sorted = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

const hasPrefixedLabels = (old: Job): boolean => {
  const labels = old.spec?.template?.metadata?.labels ?? {};
  return Object.hasOwn(labels, CONTROLLER_UID) && Object.hasOwn(labels, JOB_NAME);
};

/** The hostnames of the pods of an Indexed Job have the Job's name and the index, and must be valid. */
function validateIndexedPodNames(errors: FieldError[], { metadata: meta, spec }: Job): void {
  if (spec?.completionMode !== 'Indexed' || !spec.completions || spec.completions < 0) return;
  const name = meta.name ?? '';
  const longest = `${name}-${spec.completions - 1}`;
  if (dns1123Label(longest).length > 0) {
    errors.push(
      invalidValue(path('metadata', 'name'), name, `will not able to create pod with invalid DNS label: ${longest}`),
    );
  }
}

function validateSpecUpdate(errors: FieldError[], spec: JobSpec, oldJob: Job): void {
  const old = oldJob.spec ?? EMPTY_SPEC;
  validateCompletionsUpdate(errors, spec, old);
  validateImmutable(errors, spec.selector, old.selector, SPEC.child('selector'));
  validateTemplateUpdate(errors, spec, oldJob);
  validateImmutable(errors, spec.completionMode, old.completionMode, SPEC.child('completionMode'));
  validateImmutableStruct(
    errors,
    [spec.podFailurePolicy, old.podFailurePolicy],
    'PodFailurePolicy',
    SPEC.child('podFailurePolicy'),
  );
  validateImmutable(errors, spec.backoffLimitPerIndex, old.backoffLimitPerIndex, SPEC.child('backoffLimitPerIndex'));
  validateImmutable(errors, spec.managedBy, old.managedBy, SPEC.child('managedBy'));
  validateImmutableStruct(
    errors,
    [spec.successPolicy, old.successPolicy],
    'SuccessPolicy',
    SPEC.child('successPolicy'),
  );
}

function validateImmutableStruct(
  errors: FieldError[],
  [value, old]: readonly [unknown, unknown],
  type: string,
  at: Path,
): void {
  if (semanticEqual(value, old)) return;
  errors.push(
    invalidValue(at, value == null ? null : goStruct(`io.k8s.api.batch.v1.${type}`, value), IMMUTABLE_MESSAGE),
  );
}

/** Elastic Indexed Jobs: completions may change together with parallelism. */
function validateCompletionsUpdate(errors: FieldError[], spec: JobSpec, old: JobSpec): void {
  const at = SPEC.child('completions');
  if (spec.completionMode !== 'Indexed') validateImmutable(errors, spec.completions, old.completions, at);
  else if (spec.completions != null && spec.completions !== old.completions && spec.completions !== spec.parallelism) {
    errors.push(invalidValue(at, spec.completions, 'can only be modified in tandem with spec.parallelism'));
  }
}

function validateTemplateUpdate(errors: FieldError[], spec: JobSpec, oldJob: Job): void {
  const suspended = oldJob.spec?.suspend === true;
  const idle = oldJob.status?.startTime == null || !oldJob.status.active;
  const before: PodTemplateSpec = oldJob.spec?.template ?? {};
  if (suspended && idle) validateSuspendedTemplate(errors, spec.template ?? {}, before);
  else if (!semanticEqual(spec.template, before)) {
    errors.push(
      invalidValue(
        SPEC.child('template'),
        goStruct('io.k8s.api.core.v1.PodTemplateSpec', spec.template),
        IMMUTABLE_MESSAGE,
      ),
    );
  }
}

/** The template of a suspended Job: only its spec is immutable. */
function validateSuspendedTemplate(errors: FieldError[], template: PodTemplateSpec, old: PodTemplateSpec): void {
  const before = withSchedulingOf(old, template);
  if (semanticEqual(template, before)) return;
  if (semanticEqual(template.spec, before.spec)) {
    errors.push(
      invalidValue(SPEC.child('template'), goStruct('io.k8s.api.core.v1.PodTemplateSpec', template), IMMUTABLE_MESSAGE),
    );
  } else {
    errors.push(
      invalidValue(
        SPEC.child('template', 'spec'),
        goStruct('io.k8s.api.core.v1.PodSpec', template.spec ?? {}),
        IMMUTABLE_MESSAGE,
      ),
    );
  }
}

/** The old template with the fields of a suspended Job that may change: scheduling directives, labels and resources. */
function withSchedulingOf(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const affinity = { ...old.spec?.affinity };
  if (template.spec?.affinity?.nodeAffinity) affinity.nodeAffinity = template.spec.affinity.nodeAffinity;
  else delete affinity.nodeAffinity;
  const keepsAffinity = template.spec?.affinity != null || Object.keys(affinity).length > 0;
  return {
    ...old,
    metadata: { ...old.metadata, annotations: template.metadata?.annotations, labels: template.metadata?.labels },
    spec: {
      ...old.spec!,
      affinity: keepsAffinity ? affinity : undefined,
      nodeSelector: template.spec?.nodeSelector,
      tolerations: template.spec?.tolerations,
      schedulingGates: template.spec?.schedulingGates,
      containers: withResourcesOf(old.spec?.containers, template.spec?.containers) ?? [],
      initContainers: withResourcesOf(old.spec?.initContainers, template.spec?.initContainers),
    },
  };
}

const withResourcesOf = (
  old: readonly Container[] | undefined,
  containers: readonly Container[] | undefined,
): Container[] | undefined =>
  old?.map((container, i) =>
    containers?.[i]?.name === container.name ? { ...container, resources: containers[i].resources } : container,
  );

const COMPLETIONS_WARNING_LIMIT = 100_000;
const PARALLELISM_WARNING_LIMIT = 10_000;

function manyIndexesWarning(warnings: string[], job: Job, old: Job | undefined): void {
  const { spec } = job;
  if (
    !isNewGeneration(job, old) ||
    spec?.completionMode !== 'Indexed' ||
    (spec.completions ?? 0) <= COMPLETIONS_WARNING_LIMIT ||
    (spec.parallelism ?? 0) <= PARALLELISM_WARNING_LIMIT
  )
    return;
  warnings.push(
    'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
  );
}
