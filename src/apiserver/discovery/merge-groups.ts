/** The groups that this server and others serve, in the order that APIServices give them. */
import type { AggregatedApis } from '../aggregator/index.ts';
import type { DiscoverableGroup, DiscoverableVersion } from './discoverable-resource.ts';
import { compareVersions } from './version-order.ts';

/** It has no APIService, and comes first. */
const OWN_GROUP = 'apiregistration.k8s.io';

export function mergeGroups(own: readonly DiscoverableGroup[], others: AggregatedApis): DiscoverableGroup[] {
  const groups = new Map(own.map(({ group, versions }) => [group, [...versions]]));
  for (const { group, version, resources, freshness } of others.versions()) {
    const versions = groups.get(group) ?? [];
    const remote: DiscoverableVersion = {
      group,
      version,
      resources: [],
      elsewhere: { resources: [...resources], freshness },
    };
    groups.set(group, [...versions.filter((known) => known.version !== version), remote]);
  }
  const ranked = [...groups].map(([group, versions]) => ({
    group,
    versions: sortVersions(versions, others),
    rank: rankOf(group, versions, others),
  }));
  ranked.sort((a, b) => b.rank - a.rank || (isUnknown(a.rank) ? 0 : firstName(a) < firstName(b) ? -1 : 1));
  return ranked.map(({ group, versions }) => ({ group, versions }));
}

const isUnknown = (rank: number): boolean => rank <= 0 || rank === Infinity;

/** Of groups of equal priority the one whose first APIService comes first by name. */
const firstName = ({ group, versions }: DiscoverableGroup): string =>
  versions.map(({ version }) => `${version}.${group}`).sort()[0] ?? '';

function rankOf(group: string, versions: readonly DiscoverableVersion[], others: AggregatedApis): number {
  if (group === OWN_GROUP) return Infinity;
  return Math.max(0, ...versions.map(({ version }) => others.priorityOf(group, version)?.group ?? 0));
}

function sortVersions(versions: readonly DiscoverableVersion[], others: AggregatedApis): DiscoverableVersion[] {
  const priority = ({ group, version }: DiscoverableVersion): number => others.priorityOf(group, version)?.version ?? 0;
  return versions.toSorted((a, b) => priority(b) - priority(a) || compareVersions(a.version, b.version));
}
