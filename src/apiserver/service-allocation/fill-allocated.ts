/** Fills in allocated values that a client left out of an update with those of the current Service. */
import type { Service } from '../../api/generated/core-v1.ts';
import { allocatesNodePorts, needsClusterIp, needsHealthCheckPort, sameClusterIps } from '../registry/service-needs.ts';

export function fillAllocated(service: Service, old: Service): void {
  const spec = (service.spec ??= {});
  const before = old.spec ?? {};
  if (needsClusterIp(old) && needsClusterIp(service)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (!spec.clusterIPs?.length && spec.clusterIP === before.clusterIP && before.clusterIPs)
      spec.clusterIPs = [...before.clusterIPs];
  }
  if (allocatesNodePorts(old) && allocatesNodePorts(service)) fillNodePorts(service, old);
  if (
    needsHealthCheckPort(old) &&
    needsHealthCheckPort(service) &&
    !spec.healthCheckNodePort &&
    before.healthCheckNodePort
  ) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
}

/** By the port's name, unless another port of the new Service has the number now. */
function fillNodePorts({ spec }: Service, { spec: before }: Service): void {
  const wanted = new Set(spec!.ports?.map((port) => port.nodePort));
  const used = new Set((before?.ports ?? []).map((port) => port.nodePort).filter((port) => wanted.has(port)));
  const byName = new Map((before?.ports ?? []).map((port) => [port.name ?? '', port.nodePort]));
  for (const port of spec!.ports ?? []) {
    const known = byName.get(port.name ?? '');
    if (port.nodePort || !known || used.has(known)) continue;
    port.nodePort = known;
    used.add(known);
  }
}

/** clusterIP is the first of clusterIPs; older clients know the one, newer clients set both. */
export function syncClusterIps(service: Service, old: Service | undefined): void {
  const spec = (service.spec ??= {});
  const before = old?.spec ?? {};
  if (spec.clusterIP && !spec.clusterIPs?.length)
    spec.clusterIPs = before.clusterIP === spec.clusterIP ? [...(before.clusterIPs ?? [])] : [spec.clusterIP];
  if (!old) return;
  if ((before.clusterIP ?? '') === (spec.clusterIP ?? '') || !sameClusterIps(service, old)) return;
  if (!spec.clusterIP) delete spec.clusterIPs;
  else spec.clusterIPs = [spec.clusterIP];
}
