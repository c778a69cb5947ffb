/** Validation of Workloads and PodGroups: scheduling policies, topology constraints and shared claims. */
import type {
  PodGroup,
  PodGroupResourceClaim,
  PodGroupSchedulingConstraints,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupTemplate,
  PodGroupTemplateReference,
  TypedLocalObjectReference,
  Workload,
} from '../../../api/generated/scheduling-v1alpha2.ts';
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
  tooMany,
} from '../../errors/index.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  IMMUTABLE_MESSAGE,
  type Messages,
  nameIsDnsSubdomain,
  pathSegmentName,
  qualifiedName,
} from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateConditions } from '../object-meta.ts';

const SPEC = path('spec');
const STATUS = path('status');
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;
const MAX_TEMPLATES = 8;
const MAX_CLAIMS = 4;
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const MODES = ['Pod', 'PodGroup'];

export const workload: KindValidation<Workload> = {
  create: [metadata(META_RULES), validateWorkload],
  update: [
    metadataUpdate,
    (errors, { spec }, old) => {
      validateUnchanged(errors, spec ?? {}, old.spec ?? {}, ['controllerRef', 'podGroupTemplates']);
      const { podGroupTemplates: templates } = spec ?? {};
      if (!templates?.length) errors.push(required(SPEC.child('podGroupTemplates')));
      else if (templates.length > MAX_TEMPLATES)
        errors.push(tooMany(SPEC.child('podGroupTemplates'), templates.length, MAX_TEMPLATES));
    },
  ],
};

/** All fields of a group's spec; none can change. */
const GROUP_FIELDS = [
  ...['podGroupTemplateRef', 'schedulingPolicy', 'schedulingConstraints', 'resourceClaims', 'disruptionMode'],
  ...['priorityClassName', 'priority'],
];

export const podGroup: KindValidation<PodGroup> = {
  create: [metadata(META_RULES), validatePodGroup],
  update: [
    metadataUpdate,
    (errors, { spec }, old) => validateUnchanged(errors, spec ?? {}, old.spec ?? {}, GROUP_FIELDS),
  ],
  status: [metadataUpdate, validateStatus],
};

function validateUnchanged(errors: FieldError[], spec: object, old: object, names: readonly string[]): void {
  const [fields, before] = [spec as Record<string, unknown>, old as Record<string, unknown>];
  for (const name of names)
    if (!semanticEqual(fields[name], before[name]))
      errors.push(invalidValue(SPEC.child(name), null, IMMUTABLE_MESSAGE));
}

function validateWorkload(errors: FieldError[], { spec }: Workload): void {
  const { controllerRef, podGroupTemplates: templates } = spec ?? {};
  if (controllerRef) validateControllerRef(errors, controllerRef, SPEC.child('controllerRef'));
  const at = SPEC.child('podGroupTemplates');
  if (!templates?.length) errors.push(required(at));
  else validateNamed(errors, templates, at, { max: MAX_TEMPLATES, item: validateTemplate, shown: shownTemplate });
}

function validateControllerRef(errors: FieldError[], ref: Partial<TypedLocalObjectReference>, at: Path): void {
  if (ref.apiGroup) check(errors, ref.apiGroup, at.child('apiGroup'), dns1123Subdomain);
  checkRequired(errors, ref.kind, at.child('kind'), pathSegmentName);
  checkRequired(errors, ref.name, at.child('name'), pathSegmentName);
}

/** Upstream's errors show this field of a template even where it is not set. */
const shownTemplate = ({ name, schedulingPolicy, schedulingConstraints, ...rest }: PodGroupTemplate): object => ({
  name,
  schedulingPolicy,
  schedulingConstraints: schedulingConstraints ?? null,
  ...rest,
});

interface NamedList<T> {
  readonly max: number;
  readonly item: (errors: FieldError[], item: T, at: Path) => void;
  /** What the error for a duplicate shows. */
  readonly shown?: (item: T) => object;
}

function validateNamed<T extends { name?: string }>(
  errors: FieldError[],
  list: readonly T[],
  at: Path,
  { max, item, shown }: NamedList<T>,
): void {
  if (list.length > max) {
    errors.push(tooMany(at, list.length, max));
    return;
  }
  const names = list.map(({ name = '' }) => name);
  for (const [i, entry] of list.entries())
    if (names.indexOf(names[i]!) < i) errors.push(duplicate(at.index(i), shown ? shown(entry) : entry));
  for (const [i, entry] of list.entries()) item(errors, entry, at.index(i));
}

/** Declared rules count bytes. */
const check = (errors: FieldError[], value: string, at: Path, syntax: (value: string) => Messages): void => {
  for (const message of syntax(value)) errors.push(invalidValue(at, value, message.replace(/ characters$/, ' bytes')));
};

function checkRequired(
  errors: FieldError[],
  value: string | undefined,
  at: Path,
  syntax: (value: string) => Messages,
): void {
  if (value) check(errors, value, at, syntax);
  else errors.push(required(at));
}

function validateTemplate(errors: FieldError[], template: PodGroupTemplate, at: Path): void {
  checkRequired(errors, template.name, at.child('name'), dns1123Label);
  validateGroup(errors, template, at);
}

function validatePodGroup(errors: FieldError[], { spec }: PodGroup): void {
  if (spec?.podGroupTemplateRef)
    validateTemplateRef(errors, spec.podGroupTemplateRef, SPEC.child('podGroupTemplateRef'));
  validateGroup(errors, spec ?? {}, SPEC);
}

/** What a group and its template have in common. */
function validateGroup(errors: FieldError[], group: Partial<PodGroupSpec>, at: Path): void {
  const { schedulingPolicy, schedulingConstraints, resourceClaims, disruptionMode, priorityClassName } = group;
  validatePolicy(errors, schedulingPolicy ?? {}, at.child('schedulingPolicy'));
  if (schedulingConstraints) validateConstraints(errors, schedulingConstraints, at.child('schedulingConstraints'));
  const claims = { max: MAX_CLAIMS, item: validateClaim };
  if (resourceClaims) validateNamed(errors, resourceClaims, at.child('resourceClaims'), claims);
  if (disruptionMode != null && !MODES.includes(disruptionMode))
    errors.push(notSupported(at.child('disruptionMode'), disruptionMode, MODES));
  if (priorityClassName) check(errors, priorityClassName, at.child('priorityClassName'), dns1123Subdomain);
  if (group.priority != null && group.priority > HIGHEST_USER_PRIORITY) {
    const detail = `must be less than or equal to ${HIGHEST_USER_PRIORITY}`;
    errors.push(invalidValue(at.child('priority'), group.priority, detail));
  }
}

/** Exactly one of the members is set. */
function validateUnion(errors: FieldError[], value: object, at: Path, members: readonly string[]): void {
  const given = members.filter((name) => (value as Record<string, unknown>)[name] != null);
  const all = members.map((name) => `\`${name}\``).join(', ');
  if (given.length === 0) errors.push(invalidValue(at, '', `must specify one of: ${all}`));
  else if (given.length > 1)
    errors.push(invalidValue(at, `{${given.join(', ')}}`, `must specify exactly one of: ${all}`));
}

function validatePolicy(errors: FieldError[], policy: PodGroupSchedulingPolicy, at: Path): void {
  validateUnion(errors, policy, at, ['basic', 'gang']);
  if (!policy.gang) return;
  const { minCount } = policy.gang;
  if (!minCount) errors.push(required(at.child('gang', 'minCount')));
  else if (minCount < 1)
    errors.push(invalidValue(at.child('gang', 'minCount'), minCount, 'must be greater than or equal to 1'));
}

function validateConstraints(errors: FieldError[], { topology = [] }: PodGroupSchedulingConstraints, at: Path): void {
  if (topology.length > 1) errors.push(tooMany(at.child('topology'), topology.length, 1));
  else
    for (const [i, { key }] of topology.entries())
      checkRequired(errors, key, at.child('topology').index(i).child('key'), qualifiedName);
}

function validateClaim(errors: FieldError[], claim: Partial<PodGroupResourceClaim>, at: Path): void {
  const members = ['resourceClaimName', 'resourceClaimTemplateName'] as const;
  validateUnion(errors, claim, at, members);
  checkRequired(errors, claim.name, at.child('name'), dns1123Label);
  for (const member of members) {
    const name = claim[member];
    if (name != null) check(errors, name, at.child(member), dns1123Subdomain);
  }
}

function validateTemplateRef(errors: FieldError[], ref: PodGroupTemplateReference, at: Path): void {
  validateUnion(errors, ref, at, ['workload']);
  if (!ref.workload) return;
  const { workloadName, podGroupTemplateName } = ref.workload;
  checkRequired(errors, workloadName, at.child('workload', 'workloadName'), dns1123Subdomain);
  checkRequired(errors, podGroupTemplateName, at.child('workload', 'podGroupTemplateName'), dns1123Label);
}

function validateStatus(errors: FieldError[], { spec, status }: PodGroup): void {
  validateConditions(errors, status?.conditions ?? [], STATUS.child('conditions'));
  const claims = new Set((spec?.resourceClaims ?? []).map(({ name }) => name));
  const at = STATUS.child('resourceClaimStatuses');
  const statuses = status?.resourceClaimStatuses ?? [];
  for (const [i, { name }] of statuses.entries()) {
    const detail = 'must match the name of an entry in `spec.resourceClaims`';
    if (!claims.has(name)) errors.push(invalidValue(at.index(i).child('name'), name, detail));
  }
  validateNamed(errors, statuses, at, {
    max: MAX_CLAIMS,
    item: (found, { resourceClaimName }, place) => {
      if (resourceClaimName != null)
        check(found, resourceClaimName, place.child('resourceClaimName'), dns1123Subdomain);
    },
  });
}
