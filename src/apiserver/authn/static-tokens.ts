/** Static tokens from --token-auth-file, with lines of the form `token,user,uid,"group1,group2"`. */
import { createHash } from 'node:crypto';
import type { UserInfo } from '../request/request.ts';
import { withAuthenticated, type TokenResponse, type TokenAuthenticator } from './authenticator.ts';

export class StaticTokens implements TokenAuthenticator {
  readonly name = 'token-file';
  /** By the hash of the token: the time of a lookup must not reveal how many characters are right. */
  #users = new Map<string, UserInfo>();

  constructor(file: string) {
    for (const line of file.split(/\r?\n/)) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      const fields = splitRecord(line);
      if (fields.length < 3)
        throw new Error(`token file must have at least 3 columns (token, user name, user uid), found ${fields.length}`);
      const [token = '', name = '', uid = '', groups = ''] = fields;
      // Nobody can send an empty token; the other columns may be empty.
      if (token === '') continue;
      const list = groups === '' ? [] : groups.split(',').map((group) => group.trim());
      this.#users.set(hashOf(token), { name, ...(uid === '' ? {} : { uid }), groups: withAuthenticated(list) });
    }
  }

  authenticateToken(token: string): TokenResponse | undefined {
    const user = this.#users.get(hashOf(token));
    return user && { user };
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Splits a line of comma-separated values; quoted values may contain commas. */
function splitRecord(line: string): string[] {
  const fields: string[] = [];
  for (const match of line.matchAll(/(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/gy)) {
    // The end of the line is a field after a comma only.
    if (match.index >= line.length && fields.length > 0 && !line.endsWith(',')) break;
    fields.push(match[1] === undefined ? match[2]!.trim() : match[1].replaceAll('""', '"'));
  }
  return fields;
}
