import type { ProfileConfiguration, SchedulerConfiguration } from '../config/types.ts';

/** Adds extenders' resources with ignoredByScheduler to the ignoredResources of NodeResourcesFit. */
export function withIgnoredResources({ profiles, extenders }: SchedulerConfiguration): readonly ProfileConfiguration[] {
  const ignored = extenders.flatMap((extender) =>
    extender.managedResources.filter((r) => r.ignoredByScheduler).map((r) => r.name),
  );
  if (ignored.length === 0) return profiles;
  return profiles.map((profile) => {
    const args = profile.pluginConfig.get('NodeResourcesFit') ?? {};
    const before = Array.isArray(args['ignoredResources']) ? (args['ignoredResources'] as string[]) : [];
    return {
      ...profile,
      pluginConfig: new Map([
        ...profile.pluginConfig,
        ['NodeResourcesFit', { ...args, ignoredResources: [...before, ...ignored] }],
      ]),
    };
  });
}
