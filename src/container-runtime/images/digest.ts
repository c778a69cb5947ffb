/** Digests identify content by its hash: `sha256:<64 hex digits>`. */
import { createHash, type Hash } from 'node:crypto';
import { ImageError } from './image-error.ts';

const HEX_LENGTH: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({ sha256: 64, sha384: 96, sha512: 128 }),
);

interface Digest {
  readonly algorithm: string;
  readonly hex: string;
}

/** Parses and validates a digest; its parts are safe as file names. */
export function parseDigest(digest: string): Digest {
  const [algorithm = '', hex = '', ...rest] = digest.split(':');
  const length = HEX_LENGTH.get(algorithm);
  if (length === undefined && rest.length === 0 && hex !== '') {
    throw new ImageError('INVALID_ARGUMENT', `unsupported digest algorithm ${JSON.stringify(algorithm)}`);
  }
  if (rest.length > 0 || hex.length !== length || !/^[0-9a-f]+$/.test(hex)) {
    throw new ImageError('INVALID_ARGUMENT', `invalid digest ${JSON.stringify(digest)}`);
  }
  return { algorithm, hex };
}

export function isDigest(text: string): boolean {
  return /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/.test(text);
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** A hash with the digest's algorithm, to verify content. */
export function hashFor(digest: string): Hash {
  return createHash(parseDigest(digest).algorithm);
}

/** The OCI chain id of each layer: the first diff id, then the hash of the chain so far and the next diff id. */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const parent = chain.at(-1);
    chain.push(parent === undefined ? diffId : digestOf(Buffer.from(`${parent} ${diffId}`)));
  }
  return chain;
}
