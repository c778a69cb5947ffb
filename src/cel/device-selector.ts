/**
 * CEL device selectors of dynamic resource allocation (resource.k8s.io). Their one variable is `device`, with its
 * driver, and its attributes and capacity by domain.
 */
import type { CelCompilation, CelCompilationError } from '../machinery/validation/index.ts';
import { CelCompileError, checkSource } from './compile.ts';
import { programProblem } from './constant-conversions.ts';
import { estimateCost } from './cost-estimate.ts';
import { Environment } from './environment.ts';
import { QUANTITY } from './library/quantity.ts';
import { BOOL, DYN, RUNTIME_NAMES, STRING, typeText, type CelType, type MapOf, type ObjectType } from './types.ts';

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

export const DEVICE: ObjectType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map(Object.entries(FIELDS).map(([name, type]) => [name, { name, type }])),
};

const environmentOf = (compatibility?: number): Environment =>
  new Environment({ variables: { device: DEVICE }, bindings: true, compatibility });

export const deviceSelectorEnvironment = environmentOf();

/** `compatibility` is the minor version whose functions the expression may use; default all. */
export function compileDeviceSelector(expression: string, compatibility?: number): CelCompilation {
  const failed = (detail: string, type: CelCompilationError['type'] = 'invalid'): CelCompilation => ({
    error: { type, detail },
    maxCost: 0,
    maxCardinality: 1,
    usesOldSelf: false,
  });
  try {
    const checked = checkSource(
      expression,
      compatibility === undefined ? deviceSelectorEnvironment : environmentOf(compatibility),
    );
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
