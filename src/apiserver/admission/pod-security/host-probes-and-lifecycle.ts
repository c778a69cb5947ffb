import { containersWhere, joinQuoted, plural, type AnyContainer, type CheckPod } from './check.ts';

/** A probe or lifecycle handler with a host makes the kubelet connect to that host from the node's network. */
export const hostProbesAndLifecycle: CheckPod = (spec) => {
  const hosts = new Set<string>();
  const containers = containersWhere(spec, (container) => {
    const used = hostsOf(container);
    for (const host of used) hosts.add(host);
    return used.length > 0;
  });
  if (containers.length === 0) return undefined;
  const names = [...new Set(containers)].sort();
  const subject = `${plural('container', 'containers', names.length)} ${joinQuoted(names)} ${plural('uses', 'use', names.length)}`;
  return {
    reason: 'probe or lifecycle host',
    detail: `${subject} ${plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.size)} ${joinQuoted([...hosts].sort())}`,
  };
};

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: AnyContainer): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .filter((host) => host !== undefined && host !== '') as string[];
}
