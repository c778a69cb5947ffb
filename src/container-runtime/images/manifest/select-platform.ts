/** Selects the manifest for a platform from a multi-platform index. */
import { ImageError } from '../image-error.ts';
import type { Descriptor, ImageConfig, Platform } from './oci-types.ts';

const ARCHITECTURES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    x64: 'amd64',
    ia32: '386',
    arm: 'arm',
    arm64: 'arm64',
    ppc64: 'ppc64le',
    s390x: 's390x',
    riscv64: 'riscv64',
  }),
);

export function machinePlatform(): Platform {
  const architecture = ARCHITECTURES.get(process.arch) ?? process.arch;
  if (architecture === 'arm') return { os: 'linux', architecture, variant: 'v7' };
  if (architecture === 'arm64') return { os: 'linux', architecture, variant: 'v8' };
  return { os: 'linux', architecture };
}

export function formatPlatform({ os, architecture, variant }: Platform): string {
  return `${os}/${architecture}${variant === undefined ? '' : `/${variant}`}`;
}

/** The best match: the platform's own variant, then lower ones, highest first; entries without a platform last. */
export function selectPlatform(manifests: readonly Descriptor[], wanted: Platform): Descriptor {
  const ranked = manifests
    .filter((item) => item.annotations?.['vnd.docker.reference.type'] !== 'attestation-manifest')
    .map((item) => ({ item, rank: rankOf(item.platform, wanted) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank);
  const best = ranked[0];
  if (best === undefined)
    throw new ImageError(
      'NOT_FOUND',
      `no match for platform in manifest: not found (wanted ${formatPlatform(wanted)})`,
    );
  return best.item;
}

/** Checks the platform in the config of an image without an index. */
export function checkPlatform({ os, architecture, variant }: ImageConfig, wanted: Platform): void {
  if (os === undefined || os === '' || architecture === undefined || architecture === '') return;
  const platform = { os, architecture, ...(variant === undefined ? {} : { variant }) };
  if (rankOf(platform, wanted) > 0) return;
  throw new ImageError(
    'NOT_FOUND',
    `no match for platform in manifest: not found (the image is for ${formatPlatform(platform)}, wanted ${formatPlatform(wanted)})`,
  );
}

const IMPLIED_VARIANT: ReadonlyMap<string, string> = new Map(Object.entries<string>({ arm: 'v7', arm64: 'v8' }));

/** 0 means that the image does not run on the wanted platform. */
function rankOf(platform: Platform | undefined, wanted: Platform): number {
  if (platform === undefined) return 1;
  const offered = normalize(platform);
  const machine = normalize(wanted);
  if (offered.os !== machine.os || offered.architecture !== machine.architecture) return 0;
  if (offered.architecture === 'arm' || offered.architecture === 'arm64' || offered.architecture === 'amd64') {
    const [has, can] = [levelOf(offered), levelOf(machine)];
    return has > can ? 0 : 2 + has;
  }
  return offered.variant === machine.variant || offered.variant === undefined ? 2 : 0;
}

function levelOf({ architecture, variant }: Platform): number {
  const level = Number(/^v([0-9]+)/.exec(variant ?? IMPLIED_VARIANT.get(architecture) ?? 'v1')?.[1] ?? 1);
  return Number.isFinite(level) ? level : 1;
}

/** Replaces other names for an architecture by Go's. */
function normalize({ os, architecture, variant }: Platform): Platform {
  const names: Readonly<Record<string, string>> = {
    x86_64: 'amd64',
    'x86-64': 'amd64',
    aarch64: 'arm64',
    armhf: 'arm',
    armel: 'arm',
    i386: '386',
  };
  const known = names[architecture?.toLowerCase()] ?? architecture?.toLowerCase();
  return {
    os: os?.toLowerCase(),
    architecture: known,
    ...(variant === undefined || variant === '' ? {} : { variant }),
  };
}
