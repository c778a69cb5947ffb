/** The certificates of a control plane: renewed by themselves, or when asked for, without a restart. */
import {
  CERTIFICATES,
  ETCD_CERTIFICATES,
  readOwnKubeconfig,
  renewCertificates,
  type ApiServer,
  type CertificateName,
  type ClusterPki,
  type EtcdCertificateName,
  type ServingNames,
} from '../apiserver/index.ts';
import type { Context } from '../kernel/index.ts';
import { nextRotationDeadline, sleepUntil, validityOf } from '../net/tls/index.ts';
import type { ManagedEtcd } from './managed-etcd/index.ts';

/** The admin's kubeconfig has a client certificate. */
export type RenewableName = CertificateName | EtcdCertificateName | 'kubeconfig';

/** Those of etcd only where the cluster runs a member. */
export const RENEWABLE: readonly RenewableName[] = [
  ...(Object.keys(CERTIFICATES) as CertificateName[]),
  'kubeconfig',
  ...(Object.keys(ETCD_CERTIFICATES) as EtcdCertificateName[]),
];

const isOfEtcd = (name: RenewableName): name is EtcdCertificateName => Object.hasOwn(ETCD_CERTIFICATES, name);
const isOfServer = (name: RenewableName): name is CertificateName => Object.hasOwn(CERTIFICATES, name);

interface CertificatesOptions {
  readonly apiServer: ApiServer;
  readonly pki: ClusterPki;
  readonly serving: ServingNames;
  /** Where keys and certificates are; in memory without it. */
  readonly directory: string | undefined;
  readonly kubeconfig: string;
  /** Issues and writes the kubeconfig. */
  readonly renewKubeconfig: () => Promise<string>;
  /** The member of etcd that the cluster runs. */
  readonly etcd?: Pick<ManagedEtcd, 'certificates' | 'renewCertificates'> | undefined;
}

const RETRY_MS = 60_000;

export class Certificates {
  readonly #ctx: Context;
  readonly #options: CertificatesOptions;
  readonly #current: Map<RenewableName, string>;
  /** Ends the sleep of a certificate that was renewed by hand. */
  readonly #renewed = new Map<RenewableName, () => void>();

  constructor(ctx: Context, options: CertificatesOptions) {
    this.#ctx = ctx;
    this.#options = options;
    const entries = Object.entries(CERTIFICATES) as [CertificateName, (typeof CERTIFICATES)[CertificateName]][];
    this.#current = new Map<RenewableName, string>([
      ...entries.map(([name, { keys }]) => [name, options.pki[keys].certificate] as const),
      ['kubeconfig', readOwnKubeconfig(options.kubeconfig).certificate],
      ...(Object.entries(options.etcd?.certificates ?? {}) as [EtcdCertificateName, string][]),
    ]);
  }

  get names(): readonly RenewableName[] {
    return [...this.#current.keys()];
  }

  /** Renews each between 70 and 90 percent of its life, until the context ends. */
  async run(): Promise<void> {
    await Promise.all(this.names.map((name) => this.#keepCurrent(name)));
  }

  /** New connections use the new certificates; those that are open stay. */
  async renew(names: readonly RenewableName[]): Promise<void> {
    const { apiServer, pki, serving, directory, renewKubeconfig, etcd } = this.#options;
    const [ofServer, ofEtcd] = [names.filter(isOfServer), names.filter(isOfEtcd)];
    if (ofServer.length > 0) {
      const renewed = await renewCertificates(this.#ctx, directory, { pki, serving, names: ofServer });
      apiServer.renewKeys(renewed);
      for (const name of ofServer) this.#current.set(name, renewed[CERTIFICATES[name].keys]!.certificate);
    }
    if (etcd && ofEtcd.length > 0) {
      await etcd.renewCertificates(ofEtcd);
      for (const name of ofEtcd) this.#current.set(name, etcd.certificates[name]);
    }
    if (names.includes('kubeconfig'))
      this.#current.set('kubeconfig', readOwnKubeconfig(await renewKubeconfig()).certificate);
    for (const name of names) this.#renewed.get(name)?.();
    this.#ctx.logger.info('Certificates renewed', { names: names.join(',') });
  }

  async #keepCurrent(name: RenewableName): Promise<void> {
    const { clock, random, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      const certificate = this.#current.get(name)!;
      const awake = new AbortController();
      this.#renewed.set(name, () => awake.abort());
      await sleepUntil(
        { clock, signal: AbortSignal.any([signal, awake.signal]) },
        nextRotationDeadline(validityOf(certificate), random),
      );
      if (signal.aborted) return;
      if (this.#current.get(name) !== certificate) continue;
      try {
        await this.renew([name]);
      } catch (error) {
        logger.error(error, 'Failed to renew a certificate, will retry', { name });
        await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      }
    }
  }
}
