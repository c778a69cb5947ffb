/** Finds the resource of a storage key, as an EncryptionConfiguration names it: `secrets`, `deployments.apps`. */
import { schema } from '../../api/index.ts';
import { storedAs } from '../registry/conversions.ts';
import { builtinPrefix, REGISTRY } from '../storage/keys.ts';

/** What no resource is served from has names of its own: wildcards match them. */
const BUILTIN = new Map<string, string>();
const OWN_KEYS = {
  [`${REGISTRY}masterleases/`]: 'apiserveripinfo',
  [`${REGISTRY}ranges/`]: 'servicenodeportallocations',
};

function builtin(): ReadonlyMap<string, string> {
  if (BUILTIN.size > 0) return BUILTIN;
  for (const [prefix, resource] of Object.entries(OWN_KEYS)) BUILTIN.set(prefix, resource);
  for (const resource of schema.resources) {
    if (!resource.verbs.includes('get')) continue;
    const { group, plural } = storedAs(schema, resource);
    BUILTIN.set(builtinPrefix(group, plural), group === '' ? plural : `${plural}.${group}`);
  }
  return BUILTIN;
}

/** Built-in resources have fixed prefixes; custom resources are under `/registry/GROUP/PLURAL/`. */
export function resourceOfKey(key: string): string {
  const [first = '', second = ''] = key.slice(REGISTRY.length).split('/');
  return (
    builtin().get(`${REGISTRY}${first}/`) ?? builtin().get(`${REGISTRY}${first}/${second}/`) ?? `${second}.${first}`
  );
}
