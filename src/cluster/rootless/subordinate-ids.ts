/** The subordinate ids of a user, from /etc/subuid and /etc/subgid: lines `NAME-OR-UID:FIRST:COUNT`. */

export interface IdRange {
  readonly first: number;
  readonly count: number;
}

/** What images expect: ids up to nobody's, 65534. */
export const NEEDED_IDS = 65_536;

/** The first range that is large enough; undefined without one. */
export function subordinateRange(
  file: string,
  user: { readonly name: string; readonly id: number },
): IdRange | undefined {
  for (const line of file.split('\n')) {
    const [owner, first, count] = line.trim().split(':');
    if (owner !== user.name && owner !== String(user.id)) continue;
    const range = { first: Number(first), count: Number(count) };
    if (Number.isSafeInteger(range.first) && range.count >= NEEDED_IDS) return range;
  }
  return undefined;
}

/** The arguments of newuidmap and newgidmap after the pid: the user is root inside, all other ids are subordinate. */
export const mappingArguments = (own: number, { first, count }: IdRange): string[] => [
  '0',
  String(own),
  '1',
  '1',
  String(first),
  String(count),
];
