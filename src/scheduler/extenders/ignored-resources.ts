import type { ProfileConfiguration, SchedulerConfiguration } from '../config/types.ts';

/** Resources that an extender looks after alone are none of NodeResourcesFit's business. */
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
