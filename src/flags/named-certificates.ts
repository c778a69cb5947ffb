import { UsageError } from './flag-table.ts';

interface NamedCertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Without names those of the certificate count. */
  readonly names: readonly string[];
}

/** A value of --tls-sni-cert-key: `a.crt,a.key` or `a.crt,a.key:a.example.com,*.b.example.com`. */
export function parseNamedCertificate(value: string): NamedCertificateFiles {
  const refuse = (why: string): UsageError =>
    new UsageError(`invalid argument ${JSON.stringify(value)} for "--tls-sni-cert-key" flag: ${why}`);
  const colon = value.indexOf(':');
  const names = colon < 0 ? undefined : value.slice(colon + 1).trim();
  if (names === '') throw refuse('empty names list is not allowed');
  const files = (colon < 0 ? value : value.slice(0, colon)).split(',').map((file) => file.trim());
  const [certificateFile, keyFile] = files;
  if (files.length !== 2 || certificateFile === undefined || keyFile === undefined)
    throw refuse('expected comma separated certificate and key file paths');
  return { certificateFile, keyFile, names: names?.split(',').map((name) => name.trim()) ?? [] };
}
