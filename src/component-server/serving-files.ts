/** The serving certificates that the flags name. They are followed: new connections get what the files have now. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { parseNamedCertificate, UsageError } from '../flags/index.ts';
import { followFiles, makeDirectory, type Context, type FollowedFiles } from '../kernel/index.ts';
import { checkCertificateAndKey, type CertificateAndKey, type NamedCertificate } from '../net/tls/index.ts';

export interface ServingFileFlags {
  readonly 'tls-cert-file'?: string | undefined;
  readonly 'tls-private-key-file'?: string | undefined;
  readonly 'tls-sni-cert-key'?: readonly string[] | undefined;
  readonly 'cert-dir'?: string | undefined;
}

interface GeneratedPair {
  /** `apiserver` for apiserver.crt and apiserver.key in --cert-dir. */
  readonly name: string;
  readonly generate: () => Promise<CertificateAndKey>;
}

export interface ServingFiles {
  readonly own: CertificateAndKey;
  readonly named: readonly NamedCertificate[];
}

/** Throws if a file cannot be used. Without --tls-cert-file the certificate is in --cert-dir, or in memory. */
export async function followServingFiles(
  ctx: Context,
  flags: ServingFileFlags,
  generated: GeneratedPair,
): Promise<FollowedFiles<ServingFiles>> {
  const [own, ...named] = await Promise.all([
    followOwn(ctx, flags, generated),
    ...(flags['tls-sni-cert-key'] ?? []).map((value) => followNamed(ctx, value)),
  ]);
  const current = (): ServingFiles => ({ own: own.value, named: named.map(({ value }) => value) });
  return {
    get value() {
      return current();
    },
    onChange: (listener) => {
      for (const followed of [own, ...named]) followed.onChange(() => listener(current()));
    },
  };
}

async function followOwn(
  ctx: Context,
  flags: ServingFileFlags,
  { name, generate }: GeneratedPair,
): Promise<FollowedFiles<CertificateAndKey>> {
  const { 'tls-cert-file': certificateFile, 'tls-private-key-file': keyFile, 'cert-dir': directory } = flags;
  if (certificateFile && keyFile) return followPair(ctx, 'serving-cert', certificateFile, keyFile);
  if (certificateFile || keyFile)
    throw new UsageError('--tls-cert-file and --tls-private-key-file must be set together');
  if (!directory) return unchanging(await generate());
  const files = [path.join(directory, `${name}.crt`), path.join(directory, `${name}.key`)] as const;
  await generateMissing(files, generate);
  return followPair(ctx, 'serving-cert', ...files);
}

const followPair = (
  ctx: Context,
  name: string,
  certificateFile: string,
  keyFile: string,
): Promise<FollowedFiles<CertificateAndKey>> =>
  followFiles(ctx, {
    name,
    files: [certificateFile, keyFile],
    parse: ([certificate = '', key = '']) => {
      checkCertificateAndKey({ certificate, key });
      return { certificate, key };
    },
  });

async function followNamed(ctx: Context, value: string): Promise<FollowedFiles<NamedCertificate>> {
  const { certificateFile, keyFile, names } = parseNamedCertificate(value);
  const pair = await followPair(ctx, 'sni-serving-cert', certificateFile, keyFile).catch((error: Error) => {
    throw new Error(`failed to load SNI cert and key: ${error.message}`, { cause: error });
  });
  return {
    get value() {
      return { ...pair.value, names };
    },
    onChange: (listener) => pair.onChange((changed) => listener({ ...changed, names })),
  };
}

const unchanging = <Value>(value: Value): FollowedFiles<Value> => ({ value, onChange: () => {} });

async function generateMissing(
  [certificateFile, keyFile]: readonly [string, string],
  generate: () => Promise<CertificateAndKey>,
): Promise<void> {
  const [hasCertificate, hasKey] = await Promise.all([isReadable(certificateFile), isReadable(keyFile)]);
  if (hasCertificate && hasKey) return;
  if (hasCertificate || hasKey) {
    const missing = hasCertificate ? keyFile : certificateFile;
    throw new UsageError(`error reading ${missing}, certificate and key must be supplied as a pair`);
  }
  const { certificate, key } = await generate();
  await makeDirectory(path.dirname(certificateFile), { mode: 0o755 });
  // The flag wx: do not overwrite a file that another process has just written.
  await fs.writeFile(keyFile, key, { mode: 0o600, flag: 'wx' });
  await fs.writeFile(certificateFile, certificate, { mode: 0o644, flag: 'wx' });
}

const isReadable = (file: string): Promise<boolean> =>
  fs.access(file, fs.constants.R_OK).then(
    () => true,
    () => false,
  );
