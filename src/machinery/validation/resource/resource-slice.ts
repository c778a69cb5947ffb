/** Validation of ResourceSlices. */
import type {
  Counter,
  Device,
  DeviceAttribute,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../../api/generated/resource-v1.ts';
import { parseQuantity, quote } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  path,
  type Path,
  required,
  tooLong,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain, utf8Longer } from '../../names/index.ts';
import { validateNodeSelector } from '../core/node/node-selector.ts';
import { isNativeResource } from '../core/resource-names.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct, goStructs } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import { validateBoundedList, validateBoundedMap, validateBoundedSet } from './bounded.ts';
import { validateTaint } from './device-claim.ts';
import {
  MAX_QUALIFIED_NAME,
  validateDriverName,
  validateLabel,
  validatePoolName,
  validateQualifiedName,
  validateSubdomain,
} from './device-names.ts';
import { validateRequestPolicy } from './request-policy.ts';

const SPEC = path('spec');
const MAX_DEVICES = 128;
const MAX_DEVICES_ADVANCED = 64;
const MAX_PROPERTIES = 32;
const MAX_ATTRIBUTE_VALUES = 48;
const MAX_VALUE_BYTES = 64;
const MAX_TAINTS = 16;
const MAX_COUNTER_SETS = 8;
const MAX_COUNTERS = 32;
const MAX_CONSUMPTIONS = 2;
const STRICT = { invalidValues: false } as const;
const SET_TO_TRUE = 'must be either unset or set to true';

export const resourceSlice: KindValidation<ResourceSlice> = {
  create: [
    metadata({ namespaced: false, name: nameIsDnsSubdomain }),
    (errors, object) => validateSpec(errors, object.spec, undefined),
  ],
  update: [metadataUpdate, (errors, object, old) => validateSpec(errors, object.spec, old.spec)],
  warnings: [
    (warnings, { spec: { driver } = {} }) => {
      if (driver !== undefined && driver !== driver.toLowerCase())
        warnings.push(`spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`);
    },
  ],
};

function validateSpec(
  errors: FieldError[],
  spec: ResourceSliceSpec | undefined,
  old: ResourceSliceSpec | undefined,
): void {
  const { driver = '', pool, devices, sharedCounters } = spec ?? {};
  validateDriverName(errors, driver, SPEC.child('driver'));
  validatePoolName(errors, pool?.name ?? '', SPEC.child('pool', 'name'));
  const count = pool?.resourceSliceCount ?? 0;
  if (count <= 0)
    errors.push(invalidValue(SPEC.child('pool', 'resourceSliceCount'), count, 'must be greater than zero'));
  const generation = pool?.generation ?? 0;
  if (generation < 0)
    errors.push(invalidValue(SPEC.child('pool', 'generation'), generation, 'must be greater than or equal to zero'));
  if (old) {
    validateImmutable(errors, pool?.name ?? '', old.pool?.name ?? '', SPEC.child('pool', 'name'));
    validateImmutable(errors, driver, old.driver ?? '', SPEC.child('driver'));
    validateImmutable(errors, spec?.nodeName, old.nodeName, SPEC.child('nodeName'));
  }
  validateSliceNodes(errors, spec);
  if (devices != null && sharedCounters != null) {
    errors.push(invalidValue(SPEC, '', 'only one of `sharedCounters` or `devices` is allowed'));
  }
  const advanced = (devices ?? []).some(
    ({ taints, consumesCounters, attributes }) =>
      taints?.length ||
      consumesCounters?.length ||
      Object.values(attributes ?? {}).some((attribute) => LIST_VALUES.some((name) => attribute[name] != null)),
  );
  validateBoundedSet(errors, devices, SPEC.child('devices'), {
    max: advanced ? MAX_DEVICES_ADVANCED : MAX_DEVICES,
    item: (found, device, at) => {
      const before = old?.devices?.find(({ name }) => name === device.name);
      validateDevice(found, device, at, { before, perDevice: spec?.perDeviceNodeSelection === true });
    },
    key: (device) => device.name ?? '',
  });
  validateBoundedSet(errors, sharedCounters, SPEC.child('sharedCounters'), {
    max: MAX_COUNTER_SETS,
    item: (found, set, at) => validateCounters(found, set.name ?? '', set.counters, { at, nameAt: at.child('name') }),
    key: (set) => set.name ?? '',
  });
}

/** Exactly one of nodeName, nodeSelector, allNodes and perDeviceNodeSelection. */
function validateSliceNodes(errors: FieldError[], spec: ResourceSliceSpec | undefined): void {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec ?? {};
  const given: string[] = [];
  if (nodeName === '')
    errors.push(invalidValue(SPEC.child('nodeName'), nodeName, 'must be either unset or set to a non-empty string'));
  else if (nodeName != null) {
    given.push('`nodeName`');
    validateSubdomain(errors, nodeName, SPEC.child('nodeName'));
  }
  if (nodeSelector) {
    given.push('`nodeSelector`');
    const at = SPEC.child('nodeSelector');
    validateNodeSelector(errors, nodeSelector, at, STRICT);
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    if (terms.length !== 1) {
      const shown = goStructs('io.k8s.api.core.v1.NodeSelectorTerm', terms);
      errors.push(invalidValue(at.child('nodeSelectorTerms'), shown, 'must have exactly one node selector term'));
    }
  }
  for (const [name, value] of [
    ['allNodes', allNodes],
    ['perDeviceNodeSelection', perDeviceNodeSelection],
  ] as const) {
    if (value === true) given.push(`\`${name}\``);
    else if (value === false) errors.push(invalidValue(SPEC.child(name), value, SET_TO_TRUE));
  }
  const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (given.length === 0) errors.push(required(SPEC, oneOf));
  else if (given.length > 1)
    errors.push(invalidValue(SPEC, `{${given.join(', ')}}`, `${oneOf}, but multiple fields are set`));
}

interface DeviceScope {
  readonly before: Device | undefined;
  readonly perDevice: boolean;
}

function validateDevice(errors: FieldError[], device: Device, at: Path, { before, perDevice }: DeviceScope): void {
  validateLabel(errors, device.name ?? '', at.child('name'));
  const properties = Object.keys(device.attributes ?? {}).length + Object.keys(device.capacity ?? {}).length;
  if (properties > MAX_PROPERTIES) {
    errors.push(
      invalidValue(at, properties, `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`),
    );
  }
  const values = Object.values(device.attributes ?? {}).reduce((sum, attribute) => sum + valuesIn(attribute), 0);
  if (values > MAX_ATTRIBUTE_VALUES) {
    const message = `the total number of attribute values must not exceed ${MAX_ATTRIBUTE_VALUES}`;
    errors.push(invalidValue(at, values, message));
  }
  const bounds = { max: Infinity, maxKey: MAX_QUALIFIED_NAME, key: validateQualifiedName };
  validateBoundedMap(errors, device.attributes, at.child('attributes'), { ...bounds, item: validateAttribute });
  validateBoundedMap(errors, device.capacity, at.child('capacity'), {
    ...bounds,
    item: (found, capacity, capacityAt) => {
      if (!capacity.requestPolicy) return;
      const policyAt = capacityAt.child('requestPolicy');
      if (device.allowMultipleAllocations) validateRequestPolicy(found, capacity, policyAt);
      else found.push(forbiddenField(policyAt, 'allowMultipleAllocations must be true'));
    },
  });
  if (!before || !semanticEqual(before.taints, device.taints)) {
    validateBoundedList(errors, device.taints, at.child('taints'), { max: MAX_TAINTS, item: validateTaint });
  }
  validateBoundedSet(errors, device.consumesCounters, at.child('consumesCounters'), {
    max: MAX_CONSUMPTIONS,
    item: (found, consumption, consumptionAt) => {
      const place = { at: consumptionAt, nameAt: consumptionAt.child('counterSet') };
      validateCounters(found, consumption.counterSet ?? '', consumption.counters, place);
    },
    key: (consumption) => consumption.counterSet ?? '',
  });
  validateDeviceNodes(errors, device, at, perDevice);
  validateBindingConditions(errors, device, at);
  validateNodeResources(errors, device, at.child('nodeAllocatableResourceMappings'));
}

/** The resources of the node that a device stands for. */
function validateNodeResources(
  errors: FieldError[],
  { nodeAllocatableResourceMappings, capacity }: Device,
  at: Path,
): void {
  for (const [name, mapping] of Object.entries(nodeAllocatableResourceMappings ?? {})) {
    const mappingAt = at.key(name);
    const { allocationMultiplier, capacityKey } = mapping;
    if (!isNativeResource(name)) errors.push(invalidValue(mappingAt, name, 'must be a node allocatable resource name'));
    if (allocationMultiplier == null && capacityKey == null)
      errors.push(invalidValue(mappingAt, '', 'at least one of allocationMultiplier or capacityKey must be set'));
    if (allocationMultiplier != null && parseQuantity(allocationMultiplier).sign() <= 0)
      errors.push(invalidValue(mappingAt.child('allocationMultiplier'), allocationMultiplier, 'must be positive'));
    const keyAt = mappingAt.child('capacityKey');
    if (capacityKey === '') errors.push(invalidValue(keyAt, '', 'capacityKey must not be an empty string'));
    else if (capacityKey != null && !Object.hasOwn(capacity ?? {}, capacityKey))
      errors.push(notFoundValue(keyAt, capacityKey));
  }
}

function validateDeviceNodes(
  errors: FieldError[],
  { nodeName, nodeSelector, allNodes }: Device,
  at: Path,
  perDevice: boolean,
): void {
  if (!perDevice) {
    if (nodeName == null && nodeSelector == null && allNodes == null) return;
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    errors.push(invalidValue(at, null, detail));
    return;
  }
  const given: string[] = [];
  if (nodeName === '') errors.push(invalidValue(at.child('nodeName'), nodeName, 'must not be empty'));
  else if (nodeName != null) {
    given.push('`nodeName`');
    validateSubdomain(errors, nodeName, at.child('nodeName'));
  }
  if (nodeSelector) {
    given.push('`nodeSelector`');
    validateNodeSelector(errors, nodeSelector, at.child('nodeSelector'), STRICT);
  }
  if (allNodes === true) given.push('`allNodes`');
  else if (allNodes === false) errors.push(invalidValue(at.child('allNodes'), allNodes, SET_TO_TRUE));
  const oneOf =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (given.length === 0) errors.push(required(at, oneOf));
  else if (given.length > 1) errors.push(invalidValue(at, `{${given.join(', ')}}`, oneOf));
}

interface CounterPlace {
  readonly at: Path;
  readonly nameAt: Path;
}

function validateCounters(
  errors: FieldError[],
  name: string,
  counters: Readonly<Record<string, Counter>> | undefined | null,
  { at, nameAt }: CounterPlace,
): void {
  if (name === '') errors.push(required(nameAt));
  else validateLabel(errors, name, nameAt);
  if (!counters || Object.keys(counters).length === 0) errors.push(required(at.child('counters')));
  else
    validateBoundedMap(errors, counters, at.child('counters'), {
      max: MAX_COUNTERS,
      maxKey: 63,
      key: validateLabel,
      item: () => {},
    });
}

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const LIST_VALUES = ['bools', 'ints', 'strings', 'versions'] as const;

/** A list counts as many values as it has. */
const valuesIn = (attribute: DeviceAttribute): number =>
  LIST_VALUES.reduce((sum, name) => sum + (attribute[name]?.length ?? 0), 0) || 1;

function validateAttribute(errors: FieldError[], attribute: DeviceAttribute, at: Path): void {
  if (attribute.string != null) validateText(errors, attribute.string, at.child('string'));
  if (attribute.version != null) validateVersion(errors, attribute.version, at.child('version'));
  for (const name of LIST_VALUES) {
    const values = attribute[name];
    if (!values) continue;
    if (values.length === 0) errors.push(invalidValue(at.child(name), values, 'must not be empty if specified'));
    for (const [i, value] of values.entries()) {
      if (name === 'strings') validateText(errors, value as string, at.child(name).index(i));
      if (name === 'versions') validateVersion(errors, value as string, at.child(name).index(i));
    }
  }
  const given = Object.values(attribute).filter((value) => value != null).length;
  if (given === 0) errors.push(invalidValue(at, '', 'exactly one value must be specified'));
  else if (given > 1) {
    errors.push(
      invalidValue(
        at,
        goStruct('io.k8s.api.resource.v1.DeviceAttribute', attribute),
        'exactly one value must be specified',
      ),
    );
  }
}

function validateText(errors: FieldError[], value: string, at: Path): void {
  if (utf8Longer(value, MAX_VALUE_BYTES)) errors.push(tooLong(at, MAX_VALUE_BYTES));
}

function validateVersion(errors: FieldError[], value: string, at: Path): void {
  if (!SEMVER.test(value))
    errors.push(invalidValue(at, value, 'must be a string compatible with semver.org spec 2.0.0'));
  validateText(errors, value, at);
}
