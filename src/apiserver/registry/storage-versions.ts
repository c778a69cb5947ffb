/**
 * The version in which a built-in kind is stored: the newest one that the oldest compatible release knows, so that its servers
 * can read what this one writes (a rollback, or servers of two releases on one etcd). In memory, objects always have the version
 * of `storedAs`; only versions with the same fields are stored instead of it.
 */
import { apiVersionOf, introducedIn, schema } from '../../api/index.ts';
import { BINARY_EFFECTIVE_VERSION, type EffectiveVersion } from '../../api/kubernetes-version.ts';
import { compareVersions } from '../../machinery/index.ts';
import { builtinPrefix, REGISTRY } from '../storage/keys.ts';
import { sameFieldVersions, storedAs } from './conversions.ts';

interface Place {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** Became stable in this release, and are stored in their beta version for one more. */
const OVERRIDES: ReadonlyMap<string, string> = new Map([
  ['admissionregistration.k8s.io/mutatingadmissionpolicies', 'v1beta1'],
  ['admissionregistration.k8s.io/mutatingadmissionpolicybindings', 'v1beta1'],
]);

export function storageVersionOf(
  place: Place,
  { minCompatibility }: EffectiveVersion = BINARY_EFFECTIVE_VERSION,
): { readonly group: string; readonly version: string } {
  const resource = schema.resource(place.group, place.version, place.plural);
  const { group, version, plural } = resource ? storedAs(schema, resource) : place;
  const override = OVERRIDES.get(`${group}/${plural}`);
  if (override !== undefined) return { group, version: override };
  const known = [version, ...sameFieldVersions({ group, version, plural })]
    .sort(compareVersions)
    .find((candidate) => introducedIn(group, candidate, plural) <= minCompatibility);
  return { group, version: known ?? version };
}

/** By the part of a key that names the resource: kinds that are stored in another version than the one in memory. */
export function storageVersions(effectiveVersion?: EffectiveVersion): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  for (const resource of schema.resources) {
    if (!resource.verbs.includes('get')) continue;
    const inMemory = storedAs(schema, resource);
    const apiVersion = apiVersionOf(storageVersionOf(inMemory, effectiveVersion));
    if (apiVersion === apiVersionOf(inMemory)) continue;
    versions.set(builtinPrefix(inMemory.group, inMemory.plural).slice(REGISTRY.length, -1), apiVersion);
  }
  return versions;
}
