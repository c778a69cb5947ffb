/** Validation of IngressClasses. */
import type {
  IngressClass,
  IngressClassParametersReference,
  IngressClassSpec,
} from '../../../api/generated/networking-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
  tooLong,
} from '../../errors/index.ts';
import { dns1123Label, dns1123Subdomain, nameIsDnsSubdomain, pathSegmentName, utf8Longer } from '../../names/index.ts';
import { domainPrefixedPath } from '../domain-prefixed-path.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const MAX_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

export const ingressClass: KindValidation<IngressClass> = {
  create: [metadata(META_RULES), (errors, object) => validateSpec(errors, object.spec)],
  update: [
    metadataUpdate,
    (errors, object, old) =>
      validateImmutable(errors, object.spec?.controller ?? '', old.spec?.controller ?? '', SPEC.child('controller')),
    metadataAgain(META_RULES),
    (errors, object) => validateSpec(errors, object.spec),
  ],
};

function validateSpec(errors: FieldError[], spec: IngressClassSpec | undefined): void {
  const controller = spec?.controller ?? '';
  if (utf8Longer(controller, MAX_CONTROLLER)) errors.push(tooLong(SPEC.child('controller'), MAX_CONTROLLER));
  domainPrefixedPath(errors, controller, SPEC.child('controller'));
  if (spec?.parameters) validateParameters(errors, spec.parameters, SPEC.child('parameters'));
}

function validateParameters(errors: FieldError[], parameters: IngressClassParametersReference, at: Path): void {
  const { apiGroup, scope, namespace } = parameters;
  if (apiGroup != null)
    for (const message of dns1123Subdomain(apiGroup))
      errors.push(invalidValue(at.child('apiGroup'), apiGroup, message));
  for (const name of ['kind', 'name'] as const) {
    const value = parameters[name] ?? '';
    if (value === '') errors.push(required(at.child(name)));
    else for (const message of pathSegmentName(value)) errors.push(invalidValue(at.child(name), value, message));
  }
  if (scope == null) errors.push(required(at.child('scope')));
  else if (!SCOPES.includes(scope)) errors.push(notSupported(at.child('scope'), scope, SCOPES));
  else if (scope === 'Namespace') {
    if (namespace == null) errors.push(required(at.child('namespace'), "`parameters.scope` is set to 'Namespace'"));
    else
      for (const message of dns1123Label(namespace))
        errors.push(invalidValue(at.child('namespace'), namespace, message));
  } else if (namespace != null) {
    errors.push(forbiddenField(at.child('namespace'), "`parameters.scope` is set to 'Cluster'"));
  }
}
