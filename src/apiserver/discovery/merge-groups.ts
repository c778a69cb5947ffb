import { compareVersions } from '../../machinery/index.ts';
/** Merges the groups of this server and of aggregated servers, ordered by the priorities of their APIServices. */
import type { AggregatedApis } from '../aggregator/index.ts';
import type { DiscoverableGroup, DiscoverableVersion } from './discoverable-resource.ts';

/** Has no APIService, and is listed first. */
const OWN_GROUP = 'apiregistration.k8s.io';

export function mergeGroups(own: readonly DiscoverableGroup[], aggregatedApis: AggregatedApis): DiscoverableGroup[] {
  const groups = new Map(own.map(({ group, versions }) => [group, [...versions]]));
  for (const { group, version, resources, freshness } of aggregatedApis.versions()) {
    const versions = groups.get(group) ?? [];
    const remote: DiscoverableVersion = {
      group,
      version,
      resources: [],
      aggregated: { resources: [...resources], freshness },
    };
    groups.set(group, [...versions.filter((known) => known.version !== version), remote]);
  }
  const ranked = [...groups].map(([group, versions]) => ({
    group,
    versions: sortVersions(versions, aggregatedApis),
    rank: rankOf(group, versions, aggregatedApis),
  }));
  ranked.sort((a, b) => b.rank - a.rank || (isUnknown(a.rank) ? 0 : firstName(a) < firstName(b) ? -1 : 1));
  return ranked.map(({ group, versions }) => ({ group, versions }));
}

const isUnknown = (rank: number): boolean => rank <= 0 || rank === Infinity;

/** Groups of equal priority are ordered by the name of their first APIService. */
const firstName = ({ group, versions }: DiscoverableGroup): string =>
  versions.map(({ version }) => `${version}.${group}`).sort()[0] ?? '';

function rankOf(group: string, versions: readonly DiscoverableVersion[], aggregatedApis: AggregatedApis): number {
  if (group === OWN_GROUP) return Infinity;
  return Math.max(0, ...versions.map(({ version }) => aggregatedApis.priorityOf(group, version)?.group ?? 0));
}

function sortVersions(versions: readonly DiscoverableVersion[], aggregatedApis: AggregatedApis): DiscoverableVersion[] {
  const priority = ({ group, version }: DiscoverableVersion): number =>
    aggregatedApis.priorityOf(group, version)?.version ?? 0;
  return versions.toSorted((a, b) => priority(b) - priority(a) || compareVersions(a.version, b.version));
}
