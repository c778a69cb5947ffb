/** Validation of the apiregistration group: APIServices. */
import type { APIService, APIServiceSpec } from '../../../api/generated/apiregistration-v1.ts';
import { quote } from '../../../base/index.ts';
import { type FieldError, invalidValue, notSupported, path, required } from '../../errors/index.ts';
import { dns1035Label, dns1123Subdomain, type Messages, pathSegmentName, portNumber } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { anyMetadataUpdate } from '../metadata-checks.ts';
import { validateObjectMeta } from '../object-meta.ts';

const SPEC = path('spec');
const SERVICE = SPEC.child('service');
const MAX_GROUP_PRIORITY = 20000;
const MAX_VERSION_PRIORITY = 1000;
const CONDITION_STATUSES = ['True', 'False', 'Unknown'];

const apiService: KindValidation<APIService> = {
  create: [(errors, object) => validateApiService(errors, object)],
  update: [anyMetadataUpdate, (errors, object) => validateApiService(errors, object)],
  status: [
    anyMetadataUpdate,
    (errors, object) => {
      for (const [i, { status = '' }] of (object.status?.conditions ?? []).entries()) {
        if (CONDITION_STATUSES.includes(status)) continue;
        errors.push(notSupported(path('status', 'conditions').index(i).child('status'), status, CONDITION_STATUSES));
      }
    },
  ],
};

function validateApiService(errors: FieldError[], { metadata, spec }: APIService): void {
  const { group = '', version = '' } = spec ?? {};
  const name = `${version}.${group}`;
  const nameIsVersionAndGroup = (given: string): Messages => {
    const wrong = pathSegmentName(given);
    if (wrong.length > 0) return wrong;
    return given === name ? [] : [`must be \`spec.version+"."+spec.group\`: ${quote(name)}`];
  };
  validateObjectMeta(errors, metadata, {
    namespaced: false,
    name: nameIsVersionAndGroup,
    unqualifiedFinalizers: true,
  });
  if (group === '' && version !== 'v1') {
    errors.push(required(SPEC.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '')
    for (const message of dns1123Subdomain(group)) errors.push(invalidValue(SPEC.child('group'), group, message));
  for (const message of dns1035Label(version)) errors.push(invalidValue(SPEC.child('version'), version, message));
  validatePriority(errors, spec?.groupPriorityMinimum ?? 0, 'groupPriorityMinimum', MAX_GROUP_PRIORITY);
  validatePriority(errors, spec?.versionPriority ?? 0, 'versionPriority', MAX_VERSION_PRIORITY);
  if (spec?.service) validateService(errors, spec);
  else validateLocal(errors, spec);
}

function validatePriority(errors: FieldError[], priority: number, name: string, max: number): void {
  if (priority <= 0 || priority > max)
    errors.push(invalidValue(SPEC.child(name), priority, `must be positive and less than ${max}`));
}

/** Local APIServices have no Service, so TLS settings are refused. */
function validateLocal(errors: FieldError[], spec: APIServiceSpec | undefined): void {
  const bundle = Buffer.from(spec?.caBundle ?? '', 'base64').length;
  if (bundle > 0)
    errors.push(invalidValue(SPEC.child('caBundle'), `${bundle} bytes`, 'local APIServices may not have a caBundle'));
  if (spec?.insecureSkipTLSVerify) {
    errors.push(
      invalidValue(SPEC.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'),
    );
  }
}

function validateService(errors: FieldError[], { service, insecureSkipTLSVerify, caBundle }: APIServiceSpec): void {
  if (!service?.namespace) errors.push(required(SERVICE.child('namespace')));
  if (!service?.name) errors.push(required(SERVICE.child('name')));
  const port = service?.port ?? 0;
  const wrongPort = portNumber(port);
  if (wrongPort.length > 0)
    errors.push(invalidValue(SERVICE.child('port'), port, `port is not valid: ${wrongPort.join(', ')}`));
  if (insecureSkipTLSVerify && caBundle) {
    errors.push(invalidValue(SPEC.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'));
  }
}

export const apiregistrationValidations: Readonly<Record<string, KindValidation>> = {
  'apiregistration.k8s.io/apiservices': apiService,
};
