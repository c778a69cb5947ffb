/**
 * Exchanges the CAs of a cluster in three steps, between which every server and node gets to know the step before:
 *
 *   begin   the next CA is trusted besides, and what is signed is signed as before
 *   switch  the next CA signs; certificates of the CA of before are still accepted
 *   finish  the CA of before is trusted no more
 *
 * `NAME.crt` is a bundle meanwhile, and `NAME.key` tells which of its certificates signs, so that each step writes one file
 * of a CA. The next keys wait in `next/` until the switch. A step that was interrupted is done again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { makeDirectoryDurably, renameDurably, writeFileDurably, type Context } from '../../kernel/index.ts';
import { certificatesIn, createAuthority, loadAuthority, type KeyPair } from './certificates.ts';
import { AUTHORITIES } from './files.ts';

type AuthorityName = keyof typeof AUTHORITIES;

/** The CAs that come next, by name; those that the cluster has. */
export type NextAuthorities = Readonly<Partial<Record<AuthorityName, KeyPair>>>;

/** `trusted`: begun, and not yet switched. */
type RotationState = 'none' | 'trusted' | 'switched';

const COMMON_NAMES: Readonly<Record<AuthorityName, string>> = {
  ca: 'kubernetes',
  'front-proxy-ca': 'front-proxy-ca',
  'etcd-ca': 'etcd-ca',
};

const read = (file: string): string | undefined => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);

function existing(directory: string): { name: AuthorityName; file: string; next: string }[] {
  return (Object.entries(AUTHORITIES) as [AuthorityName, string][])
    .map(([name, file]) => ({ name, file: path.join(directory, file), next: path.join(directory, 'next', file) }))
    .filter(({ file }) => fs.existsSync(`${file}.key`));
}

export function rotationState(directory: string): RotationState {
  const all = existing(directory);
  if (all.some(({ next }) => fs.existsSync(`${next}.key`))) return 'trusted';
  return all.some(({ file }) => certificatesIn(read(`${file}.crt`) ?? '').length > 1) ? 'switched' : 'none';
}

export async function createNextAuthorities(ctx: Context, directory: string): Promise<NextAuthorities> {
  const made = await Promise.all(
    existing(directory).map(async ({ name }) => {
      const { certificate, key } = await createAuthority(ctx, COMMON_NAMES[name]);
      return [name, { certificate, key }] as const;
    }),
  );
  return Object.fromEntries(made);
}

/** The first step. */
export async function trustNextAuthorities(directory: string, authorities: NextAuthorities): Promise<void> {
  for (const { name, file, next } of existing(directory)) {
    const pair = authorities[name];
    if (pair === undefined) throw new Error(`there is no next ${name}`);
    makeDirectoryDurably(path.dirname(next), 0o700);
    await writeFileDurably(`${next}.key`, pair.key, { mode: 0o600 });
    const bundle = certificatesIn(read(`${file}.crt`) ?? '');
    if (bundle.includes(pair.certificate)) continue;
    await writeFileDurably(`${file}.crt`, [...bundle, pair.certificate].join(''), { mode: 0o644 });
  }
}

/** The second step: after the next start, what is signed is signed by the next CA. */
export async function signWithNextAuthorities(directory: string): Promise<void> {
  const waiting = existing(directory).filter(({ next }) => fs.existsSync(`${next}.key`));
  // A key without its certificate in the bundle is left from a first step that was interrupted.
  for (const { file, next } of waiting)
    await loadAuthority({ certificate: read(`${file}.crt`) ?? '', key: read(`${next}.key`) ?? '' });
  for (const { file, next } of waiting) await renameDurably(`${next}.key`, `${file}.key`);
  fs.rmSync(path.join(directory, 'next'), { recursive: true, force: true });
}

/** The third step. */
export async function forgetPreviousAuthorities(directory: string): Promise<void> {
  for (const { file } of existing(directory)) {
    const { certificate } = await loadAuthority({
      certificate: read(`${file}.crt`) ?? '',
      key: read(`${file}.key`) ?? '',
    });
    await writeFileDurably(`${file}.crt`, certificatesIn(certificate)[0]!, { mode: 0o644 });
  }
}
