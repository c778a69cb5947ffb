/** The default imagePullPolicy, which depends on the tag of the image. */
const HOST =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const PATH = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${PATH}(?:/${PATH})*(?::([\\w][\\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/** A name has at most 255 characters, a tag 128; the rest is for the digest. */
const MAX_LENGTH = 600;

const MAX_CACHED = 10_000;
const cache = new Map<string, 'Always' | 'IfNotPresent'>();

/** Always for the tag `latest` and for images without tag and digest. */
export function pullPolicyOf(image = ''): 'Always' | 'IfNotPresent' {
  if (image.length > MAX_LENGTH) return 'IfNotPresent';
  const known = cache.get(image);
  if (known) return known;
  const match = REFERENCE.exec(image);
  const latest = match !== null && (match[1] === 'latest' || (match[1] === undefined && match[2] === undefined));
  const policy = latest ? 'Always' : 'IfNotPresent';
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(image, policy);
  return policy;
}
