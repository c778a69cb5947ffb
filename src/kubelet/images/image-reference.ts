/** Parses image references: `busybox`, `registry:5000/team/app:1.2`, `app@sha256:…`. */
const DOMAIN_COMPONENT = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `(?:${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const PATH_COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^((?:${DOMAIN}/)?${PATH_COMPONENT}(?:/${PATH_COMPONENT})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

/** The registry of references without a host. */
const DEFAULT_DOMAIN = 'docker.io';

class InvalidImageName extends Error {
  override readonly name = 'InvalidImageName';
  readonly code = 'invalid-image-name';
}

/** Adds the tag `latest` to references without tag and digest. Throws InvalidImageName. */
export function withDefaultTag(image: string): string {
  const { tag, digest } = parseImage(image);
  return tag === undefined && digest === undefined ? `${image}:latest` : image;
}

interface ImageName {
  readonly domain: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

export function parseImage(image: string): ImageName {
  const match = REFERENCE.exec(image);
  if (match === null || /^[a-f0-9]{64}$/.test(image))
    throw new InvalidImageName(`couldn't parse image name ${JSON.stringify(image)}: ${problemOf(image)}`);
  const [, name = '', tag, digest] = match;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasDomain =
    first.includes('.') || first.includes(':') || first === 'localhost' || first.toLowerCase() !== first;
  const domain = hasDomain ? first : DEFAULT_DOMAIN;
  const rest = hasDomain ? name.slice(slash + 1) : name;
  const path = domain === DEFAULT_DOMAIN && !rest.includes('/') ? `library/${rest}` : rest;
  if (path !== path.toLowerCase())
    throw new InvalidImageName(
      `couldn't parse image name ${JSON.stringify(image)}: invalid reference format: repository name (${path}) must be lowercase`,
    );
  return { domain, path, tag, digest };
}

function problemOf(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image))
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const path = image.replace(/[:@].*/s, '');
  if (REFERENCE.test(image.toLowerCase()) && path !== path.toLowerCase())
    return `invalid reference format: repository name (${path}) must be lowercase`;
  return 'invalid reference format';
}
