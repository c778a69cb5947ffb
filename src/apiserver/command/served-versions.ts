/** `--runtime-config`: which versions of the API are served. */
import { schema } from '../../api/index.ts';
import { UsageError } from '../../flags/index.ts';

export type ServesVersion = (group: string, version: string) => boolean;

const ALL = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const;

/** Undefined when everything is served. A version that is asked for by name and not here fails by name. */
export function servedVersions(runtimeConfig: Readonly<Record<string, string>>): ServesVersion | undefined {
  const known = new Set(schema.resources.map(({ group, version }) => nameOf(group, version)));
  const said = new Map<string, boolean>();
  for (const [key, value] of Object.entries(runtimeConfig)) {
    const wanted = value === '' || value === 'true';
    if (!wanted && value !== 'false')
      throw new UsageError(`invalid value of --runtime-config: ${key}=${value}, should be true or false`);
    if (!ALL.some((name) => name === key)) {
      // A single resource of a version (group/version/resource) is not a setting of its own since v1.16.
      if (wanted && !known.has(key)) throw new UsageError(`--runtime-config: ${key} is not served by this version`);
    } else if (key === 'api/all' && !wanted && !Object.keys(runtimeConfig).includes('api/ga')) {
      throw new UsageError('--runtime-config: invalid key with only api/all=false');
    }
    said.set(key, wanted);
  }
  if (![...said.values()].includes(false)) return undefined;
  return (group, version) =>
    said.get(nameOf(group, version)) ?? said.get(stageOf(version)) ?? said.get('api/all') ?? true;
}

const nameOf = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`);

function stageOf(version: string): string {
  if (version.includes('alpha')) return 'api/alpha';
  return version.includes('beta') ? 'api/beta' : 'api/ga';
}
