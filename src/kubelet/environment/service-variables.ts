/** Service environment variables, such as NAME_SERVICE_HOST, for the services that are visible to a pod. */
import type { Service } from '../../api/generated/core-v1.ts';

/** Services of the API server, which are visible in every namespace. */
const MASTER_SERVICES = new Set(['kubernetes']);
const MASTER_NAMESPACE = 'default';

export function serviceVariables(
  services: readonly Service[],
  namespace: string,
  enableServiceLinks: boolean,
): Map<string, string> {
  const visible = new Map<string, Service>();
  for (const service of services) {
    const { name = '', namespace: home } = service.metadata;
    const { clusterIP } = service.spec ?? {};
    if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None') continue;
    const isMaster = home === MASTER_NAMESPACE && MASTER_SERVICES.has(name);
    if (isMaster ? !visible.has(name) : home === namespace && enableServiceLinks) visible.set(name, service);
  }
  const result = new Map<string, string>();
  for (const [name, service] of visible) addService(result, name, service);
  return result;
}

function addService(result: Map<string, string>, name: string, { spec }: Service): void {
  const prefix = name.toUpperCase().replaceAll('-', '_');
  const host = spec?.clusterIP ?? '';
  const [first] = spec?.ports ?? [];
  result.set(`${prefix}_SERVICE_HOST`, host);
  if (first === undefined) return;
  result.set(`${prefix}_SERVICE_PORT`, String(first.port));
  for (const { name: portName, port } of spec?.ports ?? []) {
    if (portName) result.set(`${prefix}_SERVICE_PORT_${portName.toUpperCase().replaceAll('-', '_')}`, String(port));
  }
  const address = host.includes(':') ? `[${host}]` : host;
  (spec?.ports ?? []).forEach(({ port, protocol = 'TCP' }, index) => {
    const scheme = protocol.toLowerCase();
    const url = `${scheme}://${address}:${port}`;
    if (index === 0) result.set(`${prefix}_PORT`, url);
    const each = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    result.set(each, url);
    result.set(`${each}_PROTO`, scheme);
    result.set(`${each}_PORT`, String(port));
    result.set(`${each}_ADDR`, host);
  });
}
