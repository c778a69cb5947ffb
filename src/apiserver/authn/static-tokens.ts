/** Tokens from a file: `token,user,uid,"group1,group2"` a line. */
import { createHash } from 'node:crypto';
import type { UserInfo } from '../request/request.ts';
import { withAuthenticated, type TokenAnswer, type TokenAuthenticator } from './authenticator.ts';

export class StaticTokens implements TokenAuthenticator {
  readonly name = 'token-file';
  /** By the token's hash: finding it takes the same time however much of a wrong token was right. */
  #users = new Map<string, UserInfo>();

  constructor(file: string) {
    for (const line of file.split(/\r?\n/)) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      const [token = '', name = '', uid = '', groups = ''] = splitRecord(line);
      if (token === '' || name === '' || uid === '')
        throw new Error('token file must have at least 3 columns (token, user name, user uid), found fewer in a line');
      const list = groups === '' ? [] : groups.split(',').map((group) => group.trim());
      this.#users.set(hashOf(token), { name, uid, groups: withAuthenticated(list) });
    }
  }

  authenticateToken(token: string): TokenAnswer | undefined {
    const user = this.#users.get(hashOf(token));
    return user && { user };
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** A line of comma-separated values, where quotes hold commas. */
function splitRecord(line: string): string[] {
  const fields: string[] = [];
  for (const match of line.matchAll(/(?:\s*"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/gy)) {
    if (match.index >= line.length && fields.length > 0) break;
    fields.push(match[1] === undefined ? match[2]!.trim() : match[1].replaceAll('""', '"'));
  }
  return fields;
}
