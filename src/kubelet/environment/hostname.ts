/** The host name of a pod, and its FQDN when it has a subdomain. */
import type { Pod } from '../../api/generated/core-v1.ts';

interface PodHostname {
  readonly hostname: string;
  /** `host.subdomain.namespace.svc.cluster.local`, or empty. */
  readonly hostDomain: string;
  /** The host name that the runtime sets in the sandbox. */
  readonly kernelName: string;
}

const MAX_KERNEL_NAME = 64;
const MAX_HOST_NAME = 63;

export function podHostname(pod: Pod, clusterDomain: string, nodeHostname: string): PodHostname {
  const { spec, metadata } = pod;
  if (spec?.hostnameOverride)
    return { hostname: spec.hostnameOverride, hostDomain: '', kernelName: spec.hostnameOverride };
  if (spec?.hostNetwork === true && !spec.hostname)
    return { hostname: nodeHostname, hostDomain: '', kernelName: nodeHostname };
  const hostname = spec?.hostname || truncate(metadata.name ?? '');
  const hostDomain = spec?.subdomain ? `${hostname}.${spec.subdomain}.${metadata.namespace}.svc.${clusterDomain}` : '';
  if (spec?.setHostnameAsFQDN === true && hostDomain !== '') {
    if (hostDomain.length > MAX_KERNEL_NAME)
      throw new Error(
        `failed to construct FQDN from pod hostname and cluster domain, FQDN ${hostDomain} is too long (${MAX_KERNEL_NAME} characters is the max, ${hostDomain.length} characters requested)`,
      );
    return { hostname, hostDomain, kernelName: hostDomain };
  }
  return { hostname, hostDomain, kernelName: hostname };
}

const truncate = (name: string): string =>
  name.length <= MAX_HOST_NAME ? name : name.slice(0, MAX_HOST_NAME).replace(/(?<![-.])[-.]+$/, '');
