/**
 * CEL device selectors of dynamic resource allocation (resource.k8s.io). Their one variable is `device`, with its
 * driver, and its attributes and capacity by domain.
 */
import type { CelCompilation, CelCompilationError, DeviceSelectorKnowledge } from '../machinery/validation/index.ts';
import { MAX_LIST_ATTRIBUTE } from './call-cost.ts';
import { CelCompileError, checkSource } from './compile.ts';
import { programProblem } from './constant-conversions.ts';
import { estimateCost } from './cost-estimate.ts';
import { Environment } from './environment.ts';
import { method, type Library } from './function-table.ts';
import { QUANTITY } from './library/quantity.ts';
import { BOOL, DYN, RUNTIME_NAMES, STRING, typeText, type CelType, type MapOf, type ObjectType } from './types.ts';
import { CelError, isEqual, type Value } from './values.ts';

const MAX_ENTRIES = 32;

const text = (maxElements: number): CelType => ({ ...STRING, maxElements });
const mapOf = (key: CelType, value: CelType): MapOf => ({ kind: 'map', key, value, maxElements: MAX_ENTRIES });

const DOMAIN = text(63);
const ID = text(32);
const ATTRIBUTE: CelType = { ...DYN, maxElements: 64 };

const FIELDS: Readonly<Record<string, CelType>> = {
  allowMultipleAllocations: BOOL,
  attributes: mapOf(DOMAIN, mapOf(ID, ATTRIBUTE)),
  capacity: mapOf(DOMAIN, mapOf(ID, QUANTITY)),
  driver: text(63),
};

const objectOf = (fields: Readonly<Record<string, CelType>>): ObjectType => ({
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map(Object.entries(fields).map(([name, type]) => [name, { name, type }])),
});

export const DEVICE = objectOf(FIELDS);

/** Without the fields of the feature gate DRAConsumableCapacity. */
const { allowMultipleAllocations: _, ...PLAIN_FIELDS } = FIELDS;
const PLAIN_DEVICE = objectOf(PLAIN_FIELDS);

/** The feature gate DRAListTypeAttributes. An attribute of one value includes that value. */
const listAttributeLibrary: Library = {
  functions: {
    includes: [
      method('dra_includes_dyn_dyn', [DYN, DYN], BOOL, (target: Value, wanted: Value) => {
        if (!Array.isArray(target)) return isEqual(target, wanted);
        const found = target.slice(0, MAX_LIST_ATTRIBUTE).some((item: Value) => isEqual(item, wanted));
        if (!found && target.length > MAX_LIST_ATTRIBUTE)
          throw new CelError(`'includes' function cannot be applied to lists longer than ${MAX_LIST_ATTRIBUTE} values`);
        return found;
      }),
    ],
  },
};

const environmentOf = ({
  compatibility,
  consumableCapacity = true,
  listAttributes = true,
}: DeviceSelectorKnowledge): Environment =>
  new Environment({
    variables: { device: consumableCapacity ? DEVICE : PLAIN_DEVICE },
    libraries: listAttributes ? [listAttributeLibrary] : [],
    bindings: true,
    compatibility,
  });

export const deviceSelectorEnvironment = environmentOf({});

export function compileDeviceSelector(expression: string, known: DeviceSelectorKnowledge = {}): CelCompilation {
  const failed = (detail: string, type: CelCompilationError['type'] = 'invalid'): CelCompilation => ({
    error: { type, detail },
    maxCost: 0,
    maxCardinality: 1,
    usesOldSelf: false,
  });
  try {
    const isLimited =
      known.compatibility !== undefined || known.consumableCapacity === false || known.listAttributes === false;
    const checked = checkSource(expression, isLimited ? environmentOf(known) : deviceSelectorEnvironment);
    const { kind } = checked.type;
    if (kind !== 'bool' && kind !== 'dyn')
      return failed(`must evaluate to bool or the unknown type, not ${RUNTIME_NAMES[kind] ?? typeText(checked.type)}`);
    const problem = programProblem(checked);
    if (problem !== undefined) return failed(problem, 'internal');
    return { maxCost: estimateCost(checked, () => DEVICE).max, maxCardinality: 1, usesOldSelf: false };
  } catch (error) {
    if (error instanceof CelCompileError) return failed(`compilation failed: ${error.problems}`);
    throw error;
  }
}
