/** Finds the resource of a storage key, as an EncryptionConfiguration names it: `secrets`, `deployments.apps`. */
import { schema } from '../../api/index.ts';
import { storedAs } from '../registry/conversions.ts';
import { builtinPrefix, REGISTRY } from '../storage/keys.ts';

const BUILTIN = new Map<string, string>();

function builtin(): ReadonlyMap<string, string> {
  if (BUILTIN.size > 0) return BUILTIN;
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
