/** --runtime-config and --emulated-version: which API versions, and which single resources of them, are served. */
import { introducedIn, isRemoved, isServedByDefault, schema } from '../../api/index.ts';
import { BINARY_EFFECTIVE_VERSION, BINARY_MINOR, KUBERNETES_MAJOR } from '../../api/kubernetes-version.ts';
import { goBoolError, parseGoBool } from '../../base/index.ts';
import { UsageError } from '../../flags/index.ts';
import { compareVersions } from '../../machinery/index.ts';

type ServesResource = (group: string, version: string, plural: string) => boolean;

export interface EmulationOptions {
  /** The minor version that is emulated. */
  readonly emulation: number;
  /** Serves newer versions of resources that have an older one in the emulated version. */
  readonly forwardCompatible?: boolean;
  /** Serves what --runtime-config names although the emulated version does not have it. */
  readonly runtimeConfigForwardCompatible?: boolean;
}

/** In the order in which they apply. */
const STAGES: ReadonlyMap<string, RegExp> = new Map([
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]);

/** Undefined if everything is served that is by default. Throws for what this version does not have. */
export function servedVersions(
  runtimeConfig: Readonly<Record<string, string>>,
  options: EmulationOptions = BINARY_EFFECTIVE_VERSION,
): ServesResource | undefined {
  const keys = Object.keys(runtimeConfig);
  if (keys.length === 0 && options.emulation === BINARY_MINOR) return undefined;
  const config = parseRuntimeConfig(runtimeConfig, options.emulation);
  return options.emulation === BINARY_MINOR ? config.isEnabled : emulated(config, options);
}

interface RuntimeConfig {
  readonly isEnabled: ServesResource;
  /** What is set itself: `group/version` or `group/version/plural`. */
  readonly own: ReadonlyMap<string, boolean>;
}

function parseRuntimeConfig(runtimeConfig: Readonly<Record<string, string>>, emulation: number): RuntimeConfig {
  const groups = new Set(schema.resources.map(({ group }) => group));
  const versions = new Set(schema.resources.map(({ group, version }) => `${group}/${version}`));
  const stages: [RegExp, boolean][] = [];
  const own = new Map<string, boolean>();
  for (const [stage, pattern] of STAGES) {
    const value = runtimeConfig[stage];
    if (value === undefined) continue;
    if (value !== 'true' && value !== 'false') throw new UsageError(`invalid value ${stage}=${value}`);
    stages.push([pattern, value !== 'false']);
  }
  for (const [key, value] of Object.entries(runtimeConfig)) {
    if (STAGES.has(key)) continue;
    const [group, version, plural] = parseKey(key);
    const name = `${group}/${version}`;
    if (!groups.has(group)) throw new UsageError(`unknown api groups ${key}`);
    if (!versions.has(name)) throw new UsageError(`group version ${name} that has not been registered`);
    own.set(plural === undefined ? name : `${name}/${plural}`, parseBool(plural === undefined ? name : key, value));
  }
  if (runtimeConfig['api/all'] === 'false' && ![...own.values(), ...stages.map(([, on]) => on)].includes(true))
    throw new UsageError('invalid runtime-config with only api/all=false');
  const removed = new Set(
    schema.resources
      .filter((resource) => isRemoved(resource, emulation))
      .map(({ group, version, plural }) => `${group}/${version}/${plural}`),
  );
  const isEnabled: ServesResource = (group, version, plural) => {
    const name = `${group}/${version}`;
    if (removed.has(`${name}/${plural}`)) return false;
    const byStage = stages.findLast(([pattern]) => pattern.test(version))?.[1];
    return own.get(`${name}/${plural}`) ?? own.get(name) ?? byStage ?? isServedByDefault(version);
  };
  return { isEnabled, own };
}

const isAlpha = (version: string): boolean => version.includes('alpha');

/** What an emulated version has, and what the flags of forward compatibility add. Throws for what --runtime-config cannot have. */
function emulated({ isEnabled, own }: RuntimeConfig, options: EmulationOptions): ServesResource {
  const { emulation, forwardCompatible = false, runtimeConfigForwardCompatible = false } = options;
  const current = `${KUBERNETES_MAJOR}.${emulation}`;
  const served = new Set<string>();
  // From the versions of the lowest priority on: forward compatibility depends on them.
  const resources = [...schema.resources].sort((a, b) => compareVersions(b.version, a.version));
  const hasOlder = (group: string, version: string, plural: string): boolean =>
    resources.some(
      (other) =>
        other.group === group &&
        other.plural === plural &&
        !isAlpha(other.version) &&
        compareVersions(version, other.version) < 0 &&
        served.has(`${group}/${other.version}/${plural}`),
    );
  for (const { group, version, plural } of resources) {
    const name = `${group}/${version}`;
    const isForward = forwardCompatible && !isAlpha(version) && hasOlder(group, version, plural);
    const isOff = (own.get(`${name}/${plural}`) ?? own.get(name)) === false;
    if (isOff || !(isEnabled(group, version, plural) || isForward)) continue;
    const introduced = introducedIn(group, version, plural);
    const isNamed = own.get(`${name}/${plural}`) === true;
    if (introduced <= emulation || isForward || (runtimeConfigForwardCompatible && (isNamed || own.get(name) === true)))
      served.add(`${name}/${plural}`);
    else if (isNamed)
      throw new UsageError(
        `cannot enable resource ${group}/${version}, Resource=${plural} in runtime-config because it is introduced at ${KUBERNETES_MAJOR}.${introduced} after the current version ${current}. ${CONSIDER}`,
      );
  }
  for (const [name, on] of own) {
    const [group = '', version = '', plural] = name.split('/');
    if (!on || plural !== undefined || [...served].some((one) => one.startsWith(`${name}/`))) continue;
    throw new UsageError(
      `cannot enable version ${group === '' ? version : name} in runtime-config because all the resources have been introduced after the current version ${current}. ${CONSIDER}`,
    );
  }
  return (group, version, plural) => served.has(`${group}/${version}/${plural}`);
}

const CONSIDER = 'Consider setting --runtime-config-emulation-forward-compatible=true';

/** `apps/v1`, `apps/v1/deployments`; the core group is `v1` or `api/v1`. */
function parseKey(key: string): [group: string, version: string, plural: string | undefined] {
  const parts = key.split('/');
  if (parts.length === 1) return ['', key, undefined];
  const [group = '', version = '', plural] = parts;
  if (parts.length > 3) throw new UsageError(`runtime-config invalid key ${key}`);
  if (plural !== undefined && plural !== plural.toLowerCase())
    throw new UsageError(
      `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(plural)}`,
    );
  return [group === 'api' ? '' : group, version, plural];
}

function parseBool(key: string, value: string): boolean {
  const enabled = value === '' || parseGoBool(value);
  if (enabled === undefined) throw new UsageError(`invalid value of ${key}: ${value}, err: ${goBoolError(value)}`);
  return enabled;
}
