/** The identity Lease of an API server in kube-system. */
import { createHash } from 'node:crypto';
import type { Lease } from '../../api/generated/coordination-v1.ts';
import { base32 } from '../../base/index.ts';
import type { Stored } from './stored.ts';

export const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';

interface ServerIdentity {
  readonly hostname: string;
  /** Changes with every start of the server. */
  readonly uid: string;
  /** `192.0.2.2:6443` */
  readonly advertiseAddress: string;
}

export const identityLease = (
  { hostname, uid, advertiseAddress }: ServerIdentity,
  renewTime: string,
): Stored<Lease> => {
  const name = serverIdentityName(hostname);
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name,
      namespace: 'kube-system',
      labels: { [IDENTITY_LABEL]: 'kube-apiserver', 'kubernetes.io/hostname': hostname },
      annotations: { 'kubernetes.io/peer-advertise-address': advertiseAddress },
    },
    spec: { holderIdentity: `${name}_${uid}`, leaseDurationSeconds: 3600, renewTime },
  };
};

/** Stable for a machine: a hash of the length-prefixed host name and component name, as upstream computes it. */
export function serverIdentityName(hostname: string): string {
  const hash = createHash('sha256');
  for (const part of [hostname, 'kube-apiserver']) {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16)).toLowerCase()}`;
}
