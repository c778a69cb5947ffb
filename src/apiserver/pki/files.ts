/**
 * The PKI of the cluster: keys and certificates in files with kubeadm's names. Missing ones are created, and certificates
 * that have lived nine tenths of their life are renewed. Only the owner can read private keys.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectoryDurably, writeFileDurably, type Context } from '../../kernel/index.ts';
import { isRotationOverdue, isSignedBy, validityOf, type NamedCertificate } from '../../net/tls/index.ts';
import {
  createAuthority,
  createSigningKey,
  issue,
  loadAuthority,
  type Authority,
  type CertificateRequest,
  type KeyPair,
} from './certificates.ts';

/**
 * The user of the API server's kubelet client certificate. It is in no group: a binding to `system:kubelet-api-admin` gives
 * it access to kubelets, and to nothing else.
 */
export const KUBELET_CLIENT_USER = 'kube-apiserver-kubelet-client';

/** The keys and certificates of an API server, without the private keys of the CAs. */
export interface ServerKeys {
  readonly ca: { readonly certificate: string };
  readonly frontProxyCa: { readonly certificate: string };
  readonly apiserver: KeyPair;
  /** Served to clients that ask for their names. */
  readonly named?: readonly NamedCertificate[];
  readonly kubeletClient: KeyPair;
  readonly frontProxyClient: KeyPair;
  readonly serviceAccount: { readonly privateKey: string; readonly publicKey: string };
}

export interface ClusterPki extends ServerKeys {
  readonly ca: Authority;
  readonly frontProxyCa: Authority;
}

export interface ServingNames {
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** The type of a new ServiceAccount signing key; rsa by default. */
  readonly signingKey?: 'rsa' | 'ec';
}

/** The certificates that expire soon enough to be renewed, by kubeadm's names of their files, and what issues them. */
export const CERTIFICATES = {
  apiserver: { keys: 'apiserver', authority: 'ca' },
  'apiserver-kubelet-client': { keys: 'kubeletClient', authority: 'ca' },
  'front-proxy-client': { keys: 'frontProxyClient', authority: 'frontProxyCa' },
} as const satisfies Readonly<
  Record<string, { readonly keys: keyof ServerKeys; readonly authority: 'ca' | 'frontProxyCa' }>
>;

export type CertificateName = keyof typeof CERTIFICATES;

/** The certificates of a member of etcd that is ours, by kubeadm's names, and their files. */
export const ETCD_CERTIFICATES = {
  'apiserver-etcd-client': 'apiserver-etcd-client',
  'etcd-server': 'etcd/server',
  'etcd-peer': 'etcd/peer',
} as const;

export type EtcdCertificateName = keyof typeof ETCD_CERTIFICATES;

/** The CAs, and their files. They are not renewed but rotated (`rotate-authorities.ts`): others have to learn of it. */
export const AUTHORITIES = { ca: 'ca', 'front-proxy-ca': 'front-proxy-ca', 'etcd-ca': 'etcd/ca' } as const;

function requestOf(name: CertificateName, { dnsNames, addresses }: ServingNames): CertificateRequest {
  switch (name) {
    case 'apiserver':
      return { commonName: 'kube-apiserver', usage: 'server', dnsNames, addresses };
    case 'apiserver-kubelet-client':
      return { commonName: KUBELET_CLIENT_USER, usage: 'client' };
    case 'front-proxy-client':
      return { commonName: 'front-proxy-client', usage: 'client' };
  }
}

/** Without a directory (an ephemeral cluster), keys and certificates are only in memory. */
export async function openPki(ctx: Context, directory: string | undefined, serving: ServingNames): Promise<ClusterPki> {
  const files = new PkiFiles(ctx, directory);
  const [ca, frontProxyCa, serviceAccount] = await Promise.all([
    files.authority('ca', 'kubernetes'),
    files.authority('front-proxy-ca', 'front-proxy-ca'),
    files.signingKey('sa', serving.signingKey ?? 'rsa'),
  ]);
  const authorities = { ca, frontProxyCa };
  const open = (name: CertificateName): Promise<KeyPair> =>
    files.certificate(name, authorities[CERTIFICATES[name].authority], requestOf(name, serving));
  const [apiserver, kubeletClient, frontProxyClient] = await Promise.all([
    open('apiserver'),
    open('apiserver-kubelet-client'),
    open('front-proxy-client'),
  ]);
  return { ca, frontProxyCa, apiserver, kubeletClient, frontProxyClient, serviceAccount };
}

/** Issues certificates anew, with new keys, and stores them; the result has only these. */
export async function renewCertificates(
  ctx: Context,
  directory: string | undefined,
  { pki, serving, names }: { pki: ClusterPki; serving: ServingNames; names: readonly CertificateName[] },
): Promise<Partial<ServerKeys>> {
  const files = new PkiFiles(ctx, directory);
  const renewed = await Promise.all(
    names.map(async (name) => {
      const { keys, authority } = CERTIFICATES[name];
      return [keys, await files.renew(name, pki[authority], requestOf(name, serving))] as const;
    }),
  );
  return Object.fromEntries(renewed);
}

/** Renews certificates of a cluster that is stopped, for the names that they have. */
export async function renewStoredCertificates(
  ctx: Context,
  directory: string,
  names: readonly CertificateName[],
): Promise<void> {
  const files = new PkiFiles(ctx, directory);
  for (const name of names)
    await files.renewStored(
      name,
      CERTIFICATES[name].authority === 'ca' ? AUTHORITIES.ca : AUTHORITIES['front-proxy-ca'],
    );
}

/** Also of a member that runs: etcd reads its files at each handshake. */
export async function renewEtcdCertificates(
  ctx: Context,
  directory: string,
  names: readonly EtcdCertificateName[],
): Promise<Partial<Record<EtcdCertificateName, KeyPair>>> {
  const files = new PkiFiles(ctx, directory);
  const renewed: Partial<Record<EtcdCertificateName, KeyPair>> = {};
  for (const name of names) renewed[name] = await files.renewStored(ETCD_CERTIFICATES[name], AUTHORITIES['etcd-ca']);
  return renewed;
}

/** The keys of an etcd whose members are ours, and of its client, the API server. */
export interface EtcdPki {
  readonly ca: Authority;
  readonly certificates: Readonly<Record<EtcdCertificateName, KeyPair>>;
  /** The files that a member is started with. */
  readonly files: { readonly ca: string; readonly server: string; readonly peer: string };
}

/** A CA of its own: what it signs is trusted by etcd alone, and etcd trusts nothing else. */
export async function openEtcdPki(
  ctx: Context,
  directory: string,
  { dnsNames, addresses }: Pick<ServingNames, 'dnsNames' | 'addresses'>,
): Promise<EtcdPki> {
  const files = new PkiFiles(ctx, directory);
  const ca = await files.authority('etcd/ca', 'etcd-ca');
  // Members also call each other, and their own gateway, with these.
  const member = { usage: 'both', dnsNames, addresses } as const;
  const open = (name: EtcdCertificateName, request: CertificateRequest): Promise<KeyPair> =>
    files.certificate(ETCD_CERTIFICATES[name], ca, request);
  const [client, server, peer] = await Promise.all([
    open('apiserver-etcd-client', { commonName: 'kube-apiserver-etcd-client', usage: 'client' }),
    open('etcd-server', { commonName: dnsNames[0]!, ...member }),
    open('etcd-peer', { commonName: dnsNames[0]!, ...member }),
  ]);
  const file = (name: string): string => path.join(directory, 'etcd', name);
  return {
    ca,
    certificates: { 'apiserver-etcd-client': client, 'etcd-server': server, 'etcd-peer': peer },
    files: { ca: file('ca.crt'), server: file('server'), peer: file('peer') },
  };
}

class PkiFiles {
  readonly #ctx: Context;
  readonly #directory: string | undefined;

  constructor(ctx: Context, directory: string | undefined) {
    this.#ctx = ctx;
    this.#directory = directory;
  }

  async authority(name: string, commonName: string): Promise<Authority> {
    const known = await this.#readPair(name);
    if (known) return loadAuthority(known);
    const authority = await createAuthority(this.#ctx, commonName);
    await this.#writePair(name, authority);
    return authority;
  }

  async certificate(name: string, authority: Authority, request: CertificateRequest): Promise<KeyPair> {
    const known = await this.#readPair(name);
    if (
      known &&
      !isRotationOverdue(validityOf(known.certificate), this.#ctx.clock.now()) &&
      isSignedBy(known.certificate, authority.certificate) &&
      (await this.#read(`${name}.names`)) === JSON.stringify(request)
    )
      return known;
    return this.renew(name, authority, request);
  }

  async renew(name: string, authority: Authority, request: CertificateRequest): Promise<KeyPair> {
    const pair = await issue(this.#ctx, authority, request);
    await this.#writePair(name, pair);
    await this.#write(`${name}.names`, JSON.stringify(request), 0o600);
    return pair;
  }

  /** By the names of their files. */
  async renewStored(name: string, authority: string): Promise<KeyPair> {
    const [pair, request] = await Promise.all([this.#readPair(authority), this.#read(`${name}.names`)]);
    if (!pair || request === undefined)
      throw new Error(`${this.#directory} has no ${pair ? `${name}.names` : `${authority}.crt and ${authority}.key`}`);
    return this.renew(name, await loadAuthority(pair), JSON.parse(request) as CertificateRequest);
  }

  async signingKey(name: string, type: 'rsa' | 'ec'): Promise<ClusterPki['serviceAccount']> {
    const [privateKey, publicKey] = await Promise.all([this.#read(`${name}.key`), this.#read(`${name}.pub`)]);
    if (privateKey && publicKey) return { privateKey, publicKey };
    const keys = await createSigningKey(type);
    await this.#write(`${name}.key`, keys.privateKey, 0o600);
    await this.#write(`${name}.pub`, keys.publicKey, 0o644);
    return keys;
  }

  async #readPair(name: string): Promise<KeyPair | undefined> {
    const [certificate, key] = await Promise.all([this.#read(`${name}.crt`), this.#read(`${name}.key`)]);
    return certificate && key ? { certificate, key } : undefined;
  }

  async #writePair(name: string, pair: KeyPair): Promise<void> {
    await this.#write(`${name}.key`, pair.key, 0o600);
    await this.#write(`${name}.crt`, pair.certificate, 0o644);
  }

  async #read(name: string): Promise<string | undefined> {
    if (!this.#directory) return undefined;
    try {
      return await fs.readFile(path.join(this.#directory, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Durable, because a key must not be lost after it has signed something. */
  async #write(name: string, text: string, mode: number): Promise<void> {
    if (!this.#directory) return;
    const file = path.join(this.#directory, name);
    makeDirectoryDurably(path.dirname(file), 0o700);
    await writeFileDurably(file, text, { mode });
  }
}
