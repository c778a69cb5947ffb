/**
 * No identity may contain control characters. Names, UIDs, groups and extra are sent as headers to aggregated API servers
 * and written to logs, where a line break would start a forged header or log line. The pipeline checks the result of all
 * authenticators with this.
 */
import type { UserInfo } from '../request/request.ts';

const CONTROL_CHARACTER = /[\0-\x1f\x7f]/;

const isPlain = (text: string): boolean => !CONTROL_CHARACTER.test(text);

export function isPlainIdentity({ name, uid = '', groups, extra = {} }: UserInfo): boolean {
  if (!isPlain(name) || !isPlain(uid) || !groups.every(isPlain)) return false;
  for (const key in extra) if (!isPlain(key) || !extra[key]!.every(isPlain)) return false;
  return true;
}
