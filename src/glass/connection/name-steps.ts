/** DNS: whether the pod's resolver finds a name of the cluster, and may ask for it. */
import type { Service } from '../../api/generated/core-v1.ts';
import type { Peer } from './policies.ts';
import { resolverOf, serviceOfName, triedNames } from './resolve-name.ts';
import { MAX_ENDPOINTS, slicesOf, type Way } from './way.ts';

const DNS_PORT = 53;

/** Whether the pod's resolver finds the name, and may ask for it. */
export async function resolves(way: Way, host: string): Promise<boolean | undefined> {
  const servers = await clusterDns(way);
  const resolver = resolverOf(way.source, servers);
  const { dnsPolicy = 'ClusterFirst' } = way.source.spec ?? {};
  if (servers.length === 0) {
    way.steps.push({
      step: 'DNS',
      message: 'no Service kube-system/kube-dns is visible: how names are resolved is not known',
    });
    return undefined;
  }
  if (!resolver.usesCluster) {
    way.steps.push({
      step: 'DNS',
      passes: false,
      message: `its dnsPolicy ${dnsPolicy} uses the name servers of the node, which do not know names of the cluster`,
      remedy: 'set dnsPolicy ClusterFirst, or ClusterFirstWithHostNet for a pod with hostNetwork',
    });
    return false;
  }
  const tried = triedNames(host, resolver);
  for (const name of tried) {
    const named = serviceOfName(name);
    const service = named && (await way.reader.get('v1/services', named)).object;
    if (!named || !service) continue;
    const verdict = way.policies.verdict('egress', way.source, dnsServer(servers[0]!), {
      protocol: 'UDP',
      port: DNS_PORT,
      names: ['dns'],
    });
    way.steps.push({
      step: 'DNS',
      ...(way.policies.areKnown ? { passes: verdict.allowed } : {}),
      message: verdict.allowed
        ? `${host} is ${name}: ${await recordOf(way, service)}`
        : `policies of the pod do not allow it to ask cluster DNS (UDP port 53 of ${servers[0]}): ${verdict.isolatedBy.join(', ')}`,
      evidence: [`search path: ${resolver.searches.join(' ')}, ndots ${resolver.ndots}`],
      ...(verdict.allowed
        ? {}
        : {
            remedy: 'add an egress rule for UDP and TCP port 53 to pods with the label k8s-app=kube-dns in kube-system',
          }),
    });
    return way.policies.areKnown ? verdict.allowed : undefined;
  }
  const inside = tried.filter((name) => serviceOfName(name) !== undefined);
  // Longer names may be of other domains.
  const isOfCluster = inside.length > 0 && host.split('.').length <= 3;
  way.steps.push({
    step: 'DNS',
    ...(isOfCluster ? { passes: false } : {}),
    message: `no Service has a name that is tried for ${host}`,
    evidence: inside.length > 0 ? [`tried: ${inside.join(', ')}`] : [],
  });
  return isOfCluster ? false : undefined;
}

async function recordOf(way: Way, { metadata, spec }: Service): Promise<string> {
  if (spec?.type === 'ExternalName') return `an alias of ${spec.externalName}`;
  if (spec?.clusterIP !== 'None') return (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).join(', ');
  const ready = (await slicesOf(way, metadata.namespace ?? '', metadata.name ?? '')).flatMap(({ endpoints }) =>
    (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false).flatMap(({ addresses }) => addresses),
  );
  return ready.length > 0
    ? `${ready.slice(0, MAX_ENDPOINTS).join(', ')} (headless)`
    : 'no address: it is headless and has no ready endpoint';
}

export async function clusterDns(way: Way): Promise<readonly string[]> {
  const { object } = await way.reader.get('v1/services', { namespace: 'kube-system', name: 'kube-dns' });
  return object?.spec?.clusterIPs ?? [];
}

/** Cluster DNS as policies see it: pods, or a server on the node that stands for them. */
const dnsServer = (address: string): Peer => ({
  address,
  namespace: 'kube-system',
  labels: { 'k8s-app': 'kube-dns' },
});
