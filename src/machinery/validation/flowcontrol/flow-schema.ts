/** Validation of FlowSchemas. */
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../../api/generated/flowcontrol-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1123Label, dns1123Subdomain, nameIsDnsSubdomain } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { validateConditionTypes } from './conditions.ts';
import { MANDATORY_FLOW_SCHEMAS } from './mandatory.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const MAX_PRECEDENCE = 10000;
const DISTINGUISHERS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

export const flowSchema: KindValidation<FlowSchema> = {
  create: [metadata(META_RULES), (errors, object) => validateFlowSchema(errors, object)],
  update: [metadataAgain(META_RULES), (errors, object) => validateFlowSchema(errors, object)],
  status: [(errors, object) => validateConditionTypes(errors, object.status?.conditions)],
};

function validateFlowSchema(errors: FieldError[], { metadata: meta, spec, status }: FlowSchema): void {
  const name = meta.name ?? '';
  validateSpec(errors, spec, name);
  const fixed = Object.hasOwn(MANDATORY_FLOW_SCHEMAS, name) ? MANDATORY_FLOW_SCHEMAS[name] : undefined;
  if (fixed && !semanticEqual(spec, fixed)) {
    const shown = goStruct('io.k8s.api.flowcontrol.v1.FlowSchemaSpec', spec);
    errors.push(invalidValue(SPEC, shown, `spec of '${name}' must equal the fixed value`));
  }
  validateConditionTypes(errors, status?.conditions);
}

function validateSpec(errors: FieldError[], spec: FlowSchemaSpec | undefined, name: string): void {
  const precedence = spec?.matchingPrecedence ?? 0;
  const precedenceAt = SPEC.child('matchingPrecedence');
  if (precedence <= 0) errors.push(invalidValue(precedenceAt, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE)
    errors.push(invalidValue(precedenceAt, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && name !== 'exempt') {
    errors.push(invalidValue(precedenceAt, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  const method = spec?.distinguisherMethod;
  if (method && !DISTINGUISHERS.includes(method.type ?? '')) {
    const shown = goStruct('io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod', method);
    errors.push(notSupported(SPEC.child('distinguisherMethod', 'type'), shown, DISTINGUISHERS));
  }
  const level = spec?.priorityLevelConfiguration?.name ?? '';
  const levelAt = SPEC.child('priorityLevelConfiguration', 'name');
  if (level === '') errors.push(required(levelAt, 'must reference a priority level'));
  else for (const message of dns1123Subdomain(level)) errors.push(invalidValue(levelAt, level, message));
  for (const [i, rule] of (spec?.rules ?? []).entries()) validateRule(errors, rule, SPEC.child('rules').index(i));
}

function validateRule(
  errors: FieldError[],
  { subjects, resourceRules, nonResourceRules }: PolicyRulesWithSubjects,
  at: Path,
): void {
  if (!subjects || subjects.length === 0)
    errors.push(required(at.child('subjects'), 'subjects must contain at least one value'));
  else for (const [i, subject] of subjects.entries()) validateSubject(errors, subject, at.child('subjects').index(i));
  if ((resourceRules?.length ?? 0) + (nonResourceRules?.length ?? 0) === 0) {
    errors.push(required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  for (const [i, rule] of (resourceRules ?? []).entries())
    validateResourceRule(errors, rule, at.child('resourceRules').index(i));
  for (const [i, rule] of (nonResourceRules ?? []).entries())
    validateNonResourceRule(errors, rule, at.child('nonResourceRules').index(i));
}

/** Each kind of subject has its own field; the others must be absent. */
const SUBJECT_FIELDS = [
  ['serviceAccount', 'ServiceAccount'],
  ['user', 'User'],
  ['group', 'Group'],
] as const;

function validateSubject(errors: FieldError[], subject: Subject, at: Path): void {
  if (!SUBJECT_KINDS.includes(subject.kind ?? '')) {
    errors.push(notSupported(at.child('kind'), subject.kind ?? '', SUBJECT_KINDS));
    return;
  }
  for (const [field, kind] of SUBJECT_FIELDS) {
    if (kind !== subject.kind) continue;
    if (!subject[field]) errors.push(required(at.child(field), `${field} is required when subject kind is '${kind}'`));
    else if (field === 'serviceAccount') validateServiceAccount(errors, subject.serviceAccount!, at.child(field));
    else if (!subject[field].name) errors.push(required(at.child(field, 'name')));
  }
  for (const [field, kind] of SUBJECT_FIELDS) {
    if (kind !== subject.kind && subject[field]) {
      errors.push(forbiddenField(at.child(field), `${field} is forbidden when subject kind is not '${kind}'`));
    }
  }
}

function validateServiceAccount(
  errors: FieldError[],
  { name = '', namespace = '' }: { name?: string; namespace?: string },
  at: Path,
): void {
  if (name === '') errors.push(required(at.child('name')));
  else if (name !== '*')
    for (const message of dns1123Subdomain(name)) errors.push(invalidValue(at.child('name'), name, message));
  if (namespace === '') errors.push(required(at.child('namespace'), 'must specify namespace for service account'));
  else
    for (const message of dns1123Label(namespace)) errors.push(invalidValue(at.child('namespace'), namespace, message));
}

function validateVerbs(errors: FieldError[], verbs: readonly string[] | undefined, at: Path): void {
  if (!verbs || verbs.length === 0) errors.push(required(at, 'verbs must contain at least one value'));
  else if (verbs.includes('*')) {
    if (verbs.length > 1) errors.push(invalidValue(at, verbs, "if '*' is present, must not specify other verbs"));
  } else if (!verbs.every((verb) => VERBS.includes(verb))) errors.push(notSupported(at, verbs, VERBS));
}

function validateNonResourceRule(
  errors: FieldError[],
  { verbs, nonResourceURLs: urls }: NonResourcePolicyRule,
  at: Path,
): void {
  const urlsAt = at.child('nonResourceURLs');
  validateVerbs(errors, verbs, at.child('verbs'));
  if (!urls || urls.length === 0) errors.push(required(urlsAt, 'nonResourceURLs must contain at least one value'));
  else if (urls.includes('*')) {
    if (urls.length > 1)
      errors.push(invalidValue(urlsAt, urls, "if '*' is present, must not specify other non-resource URLs"));
  } else {
    for (const [i, url] of urls.entries()) {
      const problem = urlProblem(url);
      if (problem !== undefined) errors.push(invalidValue(urlsAt.index(i), url, problem));
    }
  }
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function validateResourceRule(errors: FieldError[], rule: ResourcePolicyRule, at: Path): void {
  validateVerbs(errors, rule.verbs, at.child('verbs'));
  validateWildcardList(errors, rule.apiGroups, at.child('apiGroups'), ['api group', 'api groups']);
  validateWildcardList(errors, rule.resources, at.child('resources'), ['resource', 'resources']);
  const namespaces = rule.namespaces ?? [];
  const namespacesAt = at.child('namespaces');
  if (namespaces.length === 0 && !rule.clusterScope) {
    errors.push(
      required(namespacesAt, 'resource rules that are not cluster scoped must supply at least one namespace'),
    );
  } else if (namespaces.includes('*')) {
    if (namespaces.length > 1)
      errors.push(invalidValue(namespacesAt, namespaces, "if '*' is present, must not specify other namespaces"));
  } else {
    for (const [i, namespace] of namespaces.entries()) {
      for (const message of dns1123Label(namespace)) {
        const detail = `each member of this list must be '*' or a DNS-1123 label; ${message}`;
        errors.push(invalidValue(namespacesAt.index(i), namespace, detail));
      }
    }
  }
}

function validateWildcardList(
  errors: FieldError[],
  list: readonly string[] | undefined,
  at: Path,
  [one, many]: readonly [one: string, many: string],
): void {
  if (!list || list.length === 0) errors.push(required(at, `resource rules must supply at least one ${one}`));
  else if (list.length > 1 && list.includes('*'))
    errors.push(invalidValue(at, list, `if '*' is present, must not specify other ${many}`));
}
