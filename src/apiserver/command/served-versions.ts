/** --runtime-config: which API versions, and which single resources of them, are served. */
import { isServedByDefault, schema } from '../../api/index.ts';
import { UsageError } from '../../flags/index.ts';

type ServesResource = (group: string, version: string, plural: string) => boolean;

/** In the order in which they apply. */
const STAGES: ReadonlyMap<string, RegExp> = new Map([
  ['api/all', /^/],
  ['api/ga', /^v\d+$/],
  ['api/beta', /^v\d+beta\d+$/],
  ['api/alpha', /^v\d+alpha\d+$/],
]);

/** Undefined if everything is served that is by default. Throws for what this version does not have. */
export function servedVersions(runtimeConfig: Readonly<Record<string, string>>): ServesResource | undefined {
  const keys = Object.keys(runtimeConfig);
  if (keys.length === 0) return undefined;
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
  return (group, version, plural) => {
    const name = `${group}/${version}`;
    const byStage = stages.findLast(([pattern]) => pattern.test(version))?.[1];
    return own.get(`${name}/${plural}`) ?? own.get(name) ?? byStage ?? isServedByDefault(version);
  };
}

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

const TRUE = new Set(['', '1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function parseBool(key: string, value: string): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  const syntax = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
  throw new UsageError(`invalid value of ${key}: ${value}, err: ${syntax}`);
}
