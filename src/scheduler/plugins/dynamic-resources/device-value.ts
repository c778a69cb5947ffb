/** Devices as values of CEL selectors. */
import type { Device } from '../../../api/generated/resource-v1.ts';
import { errorMessage } from '../../../base/index.ts';
import {
  CelObject,
  compile,
  DEVICE,
  deviceSelectorEnvironment,
  type Compiled,
  type MapKey,
  type Value,
} from '../../../cel/index.ts';

const MAX_COST = 1_000_000;

/** An unknown domain has no attributes, instead of being an error. */
class ByDomain extends Map<MapKey, Value> {
  override get(key: MapKey): Value | undefined {
    return super.get(key) ?? (typeof key === 'string' ? NOTHING : undefined);
  }
}
const NOTHING: ReadonlyMap<MapKey, Value> = new Map();

class DeviceValue extends CelObject {
  readonly type = DEVICE;
  readonly #fields: ReadonlyMap<string, Value>;

  constructor(driver: string, device: Device) {
    super();
    const capacity = Object.entries(device.capacity ?? {}).map(
      ([name, { value }]) => [name, libraryValue(`quantity(${JSON.stringify(String(value))})`)] as const,
    );
    const attributes = Object.entries(device.attributes ?? {}).map(
      ([name, attribute]) => [name, attributeValue(attribute)] as const,
    );
    this.#fields = new Map<string, Value>([
      ['driver', driver],
      ['allowMultipleAllocations', device.allowMultipleAllocations === true],
      ['attributes', byDomain(driver, attributes)],
      ['capacity', byDomain(driver, capacity)],
    ]);
  }

  get(field: string): Value | undefined {
    return this.#fields.get(field);
  }

  fieldNames(): readonly string[] {
    return [...this.#fields.keys()];
  }
}

/** Names without a domain belong to the domain of the driver. */
function byDomain(driver: string, entries: readonly (readonly [string, Value])[]): Value {
  const domains = new ByDomain();
  for (const [name, value] of entries) {
    const [domain, id] = splitName(driver, name);
    let ids = domains.has(domain) ? (domains.get(domain) as Map<MapKey, Value>) : undefined;
    if (ids === undefined) domains.set(domain, (ids = new Map()));
    ids.set(id, value);
  }
  return domains;
}

export function splitName(driver: string, name: string): [domain: string, id: string] {
  const slash = name.indexOf('/');
  return slash < 0 ? [driver, name] : [name.slice(0, slash), name.slice(slash + 1)];
}

function attributeValue(attribute: NonNullable<Device['attributes']>[string]): Value {
  const { ints, bools, strings, versions } = attribute;
  if (ints) return ints.map(BigInt);
  if (bools ?? strings) return [...(bools ?? strings ?? [])];
  if (versions) return versions.map(versionValue);
  if (attribute.int !== undefined) return BigInt(attribute.int);
  if (attribute.bool !== undefined) return attribute.bool;
  if (attribute.version !== undefined) return versionValue(attribute.version);
  return attribute.string ?? '';
}

const versionValue = (version: string): Value => libraryValue(`semver(${JSON.stringify(version)})`);

const libraryValues = new Map<string, Value>();

/** Quantities and versions are created by CEL's own functions. */
function libraryValue(expression: string): Value {
  let value = libraryValues.get(expression);
  if (value === undefined) {
    const outcome = compile(expression, deviceSelectorEnvironment).program.run(() => undefined, MAX_COST);
    if (outcome.value === undefined) throw outcome.error ?? new Error(`no value: ${expression}`);
    value = outcome.value;
    if (libraryValues.size > 4096) libraryValues.clear();
    libraryValues.set(expression, value);
  }
  return value;
}

const deviceValues = new WeakMap<Device, DeviceValue>();
const programs = new Map<string, Compiled>();

/** Whether a selector matches a device. Throws when the expression fails. */
export function selectorMatches(expression: string, driver: string, device: Device): boolean {
  let value = deviceValues.get(device);
  if (value === undefined) deviceValues.set(device, (value = new DeviceValue(driver, device)));
  const outcome = programOf(expression).program.run((name) => (name === 'device' ? value : undefined), MAX_COST);
  if (outcome.error !== undefined) throw new Error(`CEL runtime error: ${outcome.error.message}`);
  if (typeof outcome.value !== 'boolean')
    throw new Error(`CEL runtime error: ${JSON.stringify(expression)} did not give a boolean`);
  return outcome.value;
}

function programOf(expression: string): Compiled {
  let compiled = programs.get(expression);
  if (compiled === undefined) {
    try {
      compiled = compile(expression, deviceSelectorEnvironment);
    } catch (error) {
      throw new Error(`CEL compile error: ${errorMessage(error)}`, { cause: error });
    }
    if (programs.size > 1024) programs.clear();
    programs.set(expression, compiled);
  }
  return compiled;
}
