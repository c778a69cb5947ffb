/** The part of an image reference's grammar that decides about its tag. */
const HOST =
  '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?';
const PATH = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^(?:${HOST}/)?${PATH}(?:/${PATH})*(?::([\\w][\\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/** A name has at most 255 characters, a tag 128; the rest is for the digest. */
const MOST_CHARACTERS = 600;

const REMEMBERED_LIMIT = 10_000;
const remembered = new Map<string, 'Always' | 'IfNotPresent'>();

/** Images that move (the tag `latest`, or no tag at all) are always pulled. */
export function pullPolicyOf(image = ''): 'Always' | 'IfNotPresent' {
  if (image.length > MOST_CHARACTERS) return 'IfNotPresent';
  const known = remembered.get(image);
  if (known) return known;
  const match = REFERENCE.exec(image);
  const latest = match !== null && (match[1] === 'latest' || (match[1] === undefined && match[2] === undefined));
  const policy = latest ? 'Always' : 'IfNotPresent';
  if (remembered.size >= REMEMBERED_LIMIT) remembered.clear();
  remembered.set(image, policy);
  return policy;
}
