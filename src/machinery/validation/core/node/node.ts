/** Validation of Nodes. */
import type { Node, NodeConfigSource, ConfigMapNodeConfigSource } from '../../../../api/generated/core-v1.ts';
import { append, isRecord, parseCidr, quote } from '../../../../base/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  internalFieldError,
  invalidValue,
  path,
  type Path,
  required,
} from '../../../errors/index.ts';
import { configMapKey, nameIsDnsLabel, nameIsDnsSubdomain, utf8Longer } from '../../../names/index.ts';
import { parseGoJson } from '../../go-json-error.ts';
import { goStruct } from '../../go-struct.ts';
import { checkLegacyCidr, cidrWarnings } from '../../ip.ts';
import type { KindValidation } from '../../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../../metadata-checks.ts';
import { validateTaints } from '../pod/tolerations.ts';
import { validateResourceQuantity } from '../resources.ts';

const SPEC = path('spec');
const STATUS = path('status');
const ANNOTATIONS = path('metadata', 'annotations');
/** Upstream's path for taints. */
const TAINTS = path('metadata', 'taints');
const TAINTS_ANNOTATION = 'scheduler.alpha.kubernetes.io/taints';
const AVOID_PODS_ANNOTATION = 'scheduler.alpha.kubernetes.io/preferAvoidPods';

function annotations(errors: FieldError[], object: Node): void {
  const { [TAINTS_ANNOTATION]: taints, [AVOID_PODS_ANNOTATION]: avoidPods } = object.metadata?.annotations ?? {};
  if (taints) {
    const parsed = parseGoJson(taints);
    if (parsed.problem !== undefined) errors.push(invalidValue(ANNOTATIONS, TAINTS_ANNOTATION, parsed.problem));
    else if (Array.isArray(parsed.value))
      validateTaints(errors, parsed.value.filter(isTaint), ANNOTATIONS.child(TAINTS_ANNOTATION));
  }
  if (avoidPods) validateAvoidPods(errors, avoidPods);
}

const isTaint = (value: unknown): value is { key: string; effect: string } => isRecord(value);

function validateAvoidPods(errors: FieldError[], text: string): void {
  const parsed = parseGoJson(text);
  if (parsed.problem !== undefined) {
    errors.push(invalidValue(ANNOTATIONS.child('AvoidPods'), AVOID_PODS_ANNOTATION, parsed.problem));
    return;
  }
  const entries =
    isRecord(parsed.value) && Array.isArray(parsed.value['preferAvoidPods']) ? parsed.value['preferAvoidPods'] : [];
  for (const [i, entry] of entries.entries()) {
    const signature: unknown = isRecord(entry) ? entry['podSignature'] : undefined;
    const controller: unknown = isRecord(signature) ? signature['podController'] : undefined;
    const here = ANNOTATIONS.child(AVOID_PODS_ANNOTATION).index(i).child('PodSignature');
    if (!isRecord(controller)) errors.push(required(here));
    else if (controller['controller'] !== true) {
      errors.push(invalidValue(here.child('PodController', 'Controller'), false, 'must point to a controller'));
    }
  }
}

function taints(errors: FieldError[], object: Node): void {
  if (object.spec?.taints) validateTaints(errors, object.spec.taints, TAINTS);
}

function resources(errors: FieldError[], object: Node): void {
  for (const list of ['capacity', 'allocatable'] as const) {
    for (const [name, quantity] of Object.entries(object.status?.[list] ?? {})) {
      validateResourceQuantity(errors, name, quantity, STATUS.child(list, name));
    }
  }
}

function podCidrs(errors: FieldError[], object: Node): void {
  const cidrs = object.spec?.podCIDRs ?? [];
  const here = SPEC.child('podCIDRs');
  for (const [i, cidr] of cidrs.entries()) checkLegacyCidr(errors, cidr, here.index(i));
  if (cidrs.length < 2) return;
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.ip.family));
  const broken = cidrs.findIndex((cidr) => !parseCidr(cidr));
  if (broken >= 0) {
    const why = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${cidrs[broken]!})`;
    errors.push(internalFieldError(here, `invalid PodCIDRs. failed to check with dual stack with error:${why}`));
  }
  if (cidrs.length > 2 || families.size !== 2 || families.has(undefined)) {
    errors.push(invalidValue(here, cidrs, 'may specify no more than one CIDR for each IP family'));
  }
}

const FEATURE_NAME_MAX = 253;
const FEATURE_NAME = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function declaredFeatures(errors: FieldError[], object: Node): void {
  const here = STATUS.child('declaredFeatures');
  const features = object.status?.declaredFeatures ?? [];
  for (const [i, feature] of features.entries()) {
    const problem = featureNameProblem(feature);
    if (problem !== undefined)
      errors.push(invalidValue(here.index(i), feature, `invalid feature name ${quote(feature)}: ${problem}`));
    const next = features[i + 1];
    if (next === undefined) continue;
    if (feature === next) errors.push(duplicate(here.index(i + 1), next));
    else if (feature > next) errors.push(invalidValue(here.index(i + 1), next, 'list must be sorted alphabetically'));
  }
}

function featureNameProblem(name: string): string | undefined {
  if (utf8Longer(name, FEATURE_NAME_MAX)) return `must be no more than ${FEATURE_NAME_MAX} characters`;
  if (FEATURE_NAME.test(name)) return undefined;
  const segments = "must start with an UpperCamelCase segment, with subsequent segments separated by '/'";
  return `${segments} (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`;
}

function addressesUpdate(errors: FieldError[], object: Node): void {
  const seen = new Set<string>();
  for (const [i, address] of (object.status?.addresses ?? []).entries()) {
    const key = `${address.type} ${address.address}`;
    if (seen.has(key))
      errors.push(duplicate(STATUS.child('addresses').index(i), goStruct('io.k8s.api.core.v1.NodeAddress', address)));
    seen.add(key);
  }
}

/** podCIDRs and providerID are immutable once set. */
function immutableOnceSetUpdate(errors: FieldError[], object: Node, old: Node): void {
  const before = old.spec?.podCIDRs ?? [];
  const cidrs = object.spec?.podCIDRs ?? [];
  const changed = 'node updates may not change podCIDR except from "" to valid';
  if (before.length > 0) {
    const differences = before.length === cidrs.length ? before.filter((cidr, i) => cidr !== cidrs[i]).length : 1;
    for (let i = 0; i < differences; i++) errors.push(forbiddenField(SPEC.child('podCIDRs'), changed));
  }
  if (old.spec?.providerID && old.spec.providerID !== object.spec?.providerID) {
    errors.push(
      forbiddenField(SPEC.child('providerID'), 'node updates may not change providerID except from "" to valid'),
    );
  }
}

function configUpdate(errors: FieldError[], object: Node): void {
  const source = object.spec?.configSource;
  if (source) validateConfigSource(errors, source, SPEC.child('configSource'), validateSpecSource);
  const config = object.status?.config;
  for (const name of ['assigned', 'active', 'lastKnownGood'] as const) {
    const reported = config?.[name];
    if (reported) validateConfigSource(errors, reported, STATUS.child('config', name), validateStatusSource);
  }
}

type SourceCheck = (errors: FieldError[], source: ConfigMapNodeConfigSource, at: Path) => void;

function validateConfigSource(errors: FieldError[], source: NodeConfigSource, at: Path, check: SourceCheck): void {
  if (!source.configMap) {
    errors.push(
      invalidValue(
        at,
        goStruct('io.k8s.api.core.v1.NodeConfigSource', source),
        'exactly one reference subfield must be non-nil',
      ),
    );
    return;
  }
  check(errors, source.configMap, at.child('configMap'));
  validateConfigMapSource(errors, source.configMap, at.child('configMap'));
}

const validateSpecSource: SourceCheck = (errors, { uid, resourceVersion }, at) => {
  if (uid) errors.push(forbiddenField(at.child('uid'), 'uid must not be set in spec'));
  if (resourceVersion)
    errors.push(forbiddenField(at.child('resourceVersion'), 'resourceVersion must not be set in spec'));
};

const validateStatusSource: SourceCheck = (errors, { uid, resourceVersion }, at) => {
  if (!uid) errors.push(required(at.child('uid'), 'uid must be set in status'));
  if (!resourceVersion) errors.push(required(at.child('resourceVersion'), 'resourceVersion must be set in status'));
};

function validateConfigMapSource(
  errors: FieldError[],
  { namespace, name, kubeletConfigKey: key }: ConfigMapNodeConfigSource,
  at: Path,
): void {
  if (!namespace) errors.push(required(at.child('namespace'), 'namespace must be set'));
  else
    for (const message of nameIsDnsLabel(namespace))
      errors.push(invalidValue(at.child('namespace'), namespace, message));
  if (!name) errors.push(required(at.child('name'), 'name must be set'));
  else for (const message of nameIsDnsSubdomain(name)) errors.push(invalidValue(at.child('name'), name, message));
  if (!key) errors.push(required(at.child('kubeletConfigKey'), 'kubeletConfigKey must be set'));
  else for (const message of configMapKey(key)) errors.push(invalidValue(at.child('kubeletConfigKey'), key, message));
}

function externalIdUpdate(errors: FieldError[], object: Node, old: Node): void {
  if ((object.spec?.externalID ?? '') !== (old.spec?.externalID ?? ''))
    errors.push(forbiddenField(SPEC.child('externalID'), 'may not be updated'));
}

function nodeWarnings(warnings: string[], { spec = {} }: Node): void {
  if (spec.externalID) warnings.push('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  for (const [i, cidr] of (spec.podCIDRs ?? []).entries())
    append(warnings, cidrWarnings(cidr, SPEC.child('podCIDRs').index(i)));
}

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const nodeChecks = [annotations, taints, resources, declaredFeatures, podCidrs].map(
  (check) =>
    (errors: FieldError[], object: Node): void =>
      check(errors, object),
);

const nodeUpdate: KindValidation<Node>['update'] = [
  metadataUpdate,
  (errors, object) => annotations(errors, object),
  (errors, object) => resources(errors, object),
  (errors, object) => declaredFeatures(errors, object),
  addressesUpdate,
  immutableOnceSetUpdate,
  configUpdate,
  (errors, object) => taints(errors, object),
  externalIdUpdate,
];

export const node: KindValidation<Node> = {
  create: [metadata(RULES), ...nodeChecks],
  update: [metadataAgain(RULES), ...nodeChecks, ...nodeUpdate],
  status: nodeUpdate,
  warnings: [nodeWarnings],
};
