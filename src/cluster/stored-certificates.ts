/** The certificates in a data directory: when they expire, and their renewal while the cluster is stopped. */
import fs from 'node:fs';
import path from 'node:path';
import {
  AUTHORITIES,
  CERTIFICATES,
  ETCD_CERTIFICATES,
  kubeconfigFor,
  loadAuthority,
  readOwnKubeconfig,
  renewEtcdCertificates,
  renewStoredCertificates,
  type CertificateName,
  type EtcdCertificateName,
} from '../apiserver/index.ts';
import { writeFileDurably, type Context } from '../kernel/index.ts';
import { validityOf } from '../net/tls/index.ts';
import type { RenewableName } from './certificates.ts';
import { ADMIN } from './identities.ts';

export interface CertificateStatus {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** The name of the CA that issued it; undefined for a CA. */
  readonly authority?: string;
}

/** Of a cluster, or of a machine that has joined one. */
export function listCertificates(directory: string): CertificateStatus[] {
  const read = (...names: readonly string[]): string | undefined => {
    const file = path.join(directory, ...names);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
  };
  const status = (name: string, pem: string | undefined, authority?: string): CertificateStatus[] =>
    pem === undefined
      ? []
      : [{ name, expires: validityOf(pem).validTo, ...(authority === undefined ? {} : { authority }) }];
  const kubeconfig = read('kubeconfig');
  return [
    ...Object.entries(CERTIFICATES).flatMap(([name, { authority }]) =>
      status(name, read('pki', `${name}.crt`), authority === 'ca' ? 'ca' : 'front-proxy-ca'),
    ),
    ...status('kubeconfig', kubeconfig && readOwnKubeconfig(kubeconfig).certificate, 'ca'),
    ...status('kubelet-client', read('pki', 'kubelet-client-current.pem'), 'ca'),
    ...status('kubelet-server', read('pki', 'kubelet-server-current.pem'), 'ca'),
    ...Object.entries(ETCD_CERTIFICATES).flatMap(([name, file]) => status(name, read('pki', `${file}.crt`), 'etcd-ca')),
    ...Object.entries(AUTHORITIES).flatMap(([name, file]) => status(name, read('pki', `${file}.crt`))),
  ];
}

/** Renews certificates of a cluster that does not run; which of them it has. */
export async function renewStopped(
  ctx: Context,
  directory: string,
  wanted: readonly RenewableName[],
): Promise<RenewableName[]> {
  const pki = path.join(directory, 'pki');
  const ofEtcd = wanted.filter(
    (name): name is EtcdCertificateName =>
      Object.hasOwn(ETCD_CERTIFICATES, name) &&
      fs.existsSync(path.join(pki, `${ETCD_CERTIFICATES[name as EtcdCertificateName]}.crt`)),
  );
  const names = wanted.filter(
    (name) => !Object.hasOwn(ETCD_CERTIFICATES, name) || ofEtcd.includes(name as EtcdCertificateName),
  );
  await renewStoredCertificates(
    ctx,
    pki,
    names.filter((name): name is CertificateName => Object.hasOwn(CERTIFICATES, name)),
  );
  await renewEtcdCertificates(ctx, pki, ofEtcd);
  const file = path.join(directory, 'kubeconfig');
  // Without the file, the next start writes it.
  if (!names.includes('kubeconfig') || !fs.existsSync(file)) return names;
  const { server } = readOwnKubeconfig(fs.readFileSync(file, 'utf8'));
  const ca = await loadAuthority({
    certificate: fs.readFileSync(path.join(pki, 'ca.crt'), 'utf8'),
    key: fs.readFileSync(path.join(pki, 'ca.key'), 'utf8'),
  });
  await writeFileDurably(
    file,
    await kubeconfigFor(ctx, { server, ca, user: ADMIN.name, organizations: ['system:masters'] }),
  );
  return names;
}
