/**
 * What a user's name, UID, groups and extra may consist of. They travel as header values to aggregated API servers and
 * stand in logs line by line: a control character in one of them could begin a header, or a line, that nobody wrote. No
 * way to authenticate gives such an identity; the pipeline refuses it once for all of them.
 */
import type { UserInfo } from '../request/request.ts';

const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

const isPlain = (text: string): boolean => !CONTROL_CHARACTER.test(text);

export function isPlainIdentity({ name, uid = '', groups, extra = {} }: UserInfo): boolean {
  if (!isPlain(name) || !isPlain(uid) || !groups.every(isPlain)) return false;
  for (const key in extra) if (!isPlain(key) || !extra[key]!.every(isPlain)) return false;
  return true;
}
