/** --runtime-config: which API versions are served. */
import { schema } from '../../api/index.ts';
import { UsageError } from '../../flags/index.ts';

type ServesVersion = (group: string, version: string) => boolean;

const ALL = ['api/all', 'api/ga', 'api/beta', 'api/alpha'] as const;

/** Undefined if all versions are served. Throws for an enabled version that does not exist. */
export function servedVersions(runtimeConfig: Readonly<Record<string, string>>): ServesVersion | undefined {
  const known = new Set(schema.resources.map(({ group, version }) => nameOf(group, version)));
  const settings = new Map<string, boolean>();
  for (const [key, value] of Object.entries(runtimeConfig)) {
    const enabled = value === '' || value === 'true';
    if (!enabled && value !== 'false')
      throw new UsageError(`invalid value of --runtime-config: ${key}=${value}, should be true or false`);
    if (!ALL.some((name) => name === key)) {
      // Single resources (group/version/resource) cannot be set since v1.16.
      if (enabled && !known.has(key)) throw new UsageError(`--runtime-config: ${key} is not served by this version`);
    } else if (key === 'api/all' && !enabled && !Object.keys(runtimeConfig).includes('api/ga')) {
      throw new UsageError('--runtime-config: invalid key with only api/all=false');
    }
    settings.set(key, enabled);
  }
  if (![...settings.values()].includes(false)) return undefined;
  return (group, version) =>
    settings.get(nameOf(group, version)) ?? settings.get(stageOf(version)) ?? settings.get('api/all') ?? true;
}

const nameOf = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`);

function stageOf(version: string): string {
  if (version.includes('alpha')) return 'api/alpha';
  return version.includes('beta') ? 'api/beta' : 'api/ga';
}
