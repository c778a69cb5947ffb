/** The parts of operation IDs and tags: `list` + `AppsV1` + `NamespacedDeployment`. */
export interface ResourceNames {
  /** `AppsV1`, `RbacAuthorizationV1`, `StableExampleComV1` */
  readonly group: string;
  /** `apps_v1`, `rbacAuthorization_v1` */
  readonly tag: string;
  /** `NamespacedDeployment`, `Node` */
  readonly scoped: string;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `core`, `apps`, `rbacAuthorization`, `stableExampleCom`: the words of the group without `.k8s.io`. */
function groupWords(group: string): string {
  const [first = '', ...rest] = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  return first + rest.map(capitalized).join('');
}

export const groupTag = (group: string): string => groupWords(group);

export const groupName = (group: string): string => capitalized(groupWords(group));

export const versionTag = ({ group, version }: { group: string; version: string }): string =>
  `${groupWords(group)}_${version}`;

export const versionName = ({ group, version }: { group: string; version: string }): string =>
  `${groupName(group)}${capitalized(version)}`;

export function resourceNames(resource: {
  group: string;
  version: string;
  kind: string;
  namespaced: boolean;
}): ResourceNames {
  return {
    group: versionName(resource),
    tag: versionTag(resource),
    scoped: resource.namespaced ? `Namespaced${resource.kind}` : resource.kind,
  };
}
