/**
 * The certificate file store in `--cert-dir`: each certificate with its key in a dated file, and a link to the current
 * one.
 */
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory, renameDurably, writeFileDurably } from '../../kernel/index.ts';
import type { IssuedCertificate } from './request-certificate.ts';

interface StoredCertificate extends IssuedCertificate {
  readonly validFrom: number;
  readonly validTo: number;
}

export class CertificateStore {
  readonly #directory: string;
  readonly #prefix: string;

  /** `prefix`: kubelet-client or kubelet-server. */
  constructor(directory: string, prefix: string) {
    this.#directory = directory;
    this.#prefix = prefix;
  }

  get file(): string {
    return path.join(this.#directory, `${this.#prefix}-current.pem`);
  }

  /** Undefined when there is none that can be read. It may have expired. */
  async current(): Promise<StoredCertificate | undefined> {
    const pem = await fs.readFile(this.file, 'utf8').catch(() => undefined);
    if (pem === undefined) return undefined;
    try {
      const { validFrom, validTo } = new X509Certificate(pem);
      const keyAt = pem.search(/-----BEGIN [A-Z ]*PRIVATE KEY-----/);
      if (keyAt < 0) return undefined;
      return {
        certificate: pem.slice(0, keyAt),
        privateKey: pem.slice(keyAt),
        validFrom: Date.parse(validFrom),
        validTo: Date.parse(validTo),
      };
    } catch {
      return undefined;
    }
  }

  async store({ certificate, privateKey }: IssuedCertificate, now: number): Promise<void> {
    await makeDirectory(this.#directory, { mode: 0o750 });
    const stamp = new Date(now).toISOString().replace(/:/g, '-').replace(/\..*/, '').replace('T', '-');
    const dated = path.join(this.#directory, `${this.#prefix}-${stamp}.pem`);
    await writeFileDurably(dated, `${certificate.trimEnd()}\n${privateKey}`);
    await fs.rm(`${this.file}.tmp`, { force: true });
    await fs.symlink(dated, `${this.file}.tmp`);
    await renameDurably(`${this.file}.tmp`, this.file);
  }
}
