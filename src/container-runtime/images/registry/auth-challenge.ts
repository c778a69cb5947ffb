/** Parses the WWW-Authenticate header of a registry's 401 (RFC 9110, section 11). */

interface AuthChallenge {
  /** In lower case: `bearer`, `basic`. */
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** All challenges of a header; stops at malformed text. */
export function parseChallenges(header: string): AuthChallenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match === null) return undefined;
    at = pattern.lastIndex;
    return match[0];
  };
  while (at < header.length) {
    take(/[\s,]*/y);
    const token = take(/[!#$%&'*+.^_`|~0-9A-Za-z-]+/y);
    if (token === undefined) break;
    if (take(/\s*=\s*/y) === undefined) {
      challenges.push({ scheme: token.toLowerCase(), parameters: {} });
      continue;
    }
    const quoted = take(/"(?:[^"\\]|\\.)*"/y);
    const value = quoted === undefined ? take(/[^\s,"]*/y) : quoted.slice(1, -1).replace(/\\(.)/g, '$1');
    const current = challenges.at(-1);
    if (value === undefined || current === undefined) break;
    current.parameters[token.toLowerCase()] = value;
  }
  return challenges;
}
