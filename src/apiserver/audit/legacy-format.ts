/** An event as a line of text: `--audit-log-format=legacy`. */
import { quote } from '../../base/index.ts';
import type { AuditEvent } from './event.ts';

interface User {
  readonly username?: string;
  readonly groups?: readonly string[];
}

/** What the line says of an event. */
interface Described {
  readonly requestReceivedTimestamp: string;
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly requestURI: string;
  readonly sourceIPs?: readonly string[];
  readonly user?: User;
  readonly impersonatedUser?: User;
  readonly objectRef?: { readonly namespace?: string };
  readonly responseStatus?: { readonly code?: number };
}

export function legacyLine(event: AuditEvent): string {
  const { user = {}, impersonatedUser, objectRef, responseStatus, ...rest } = event as unknown as Described;
  const fields = {
    id: rest.auditID,
    stage: rest.stage,
    ip: rest.sourceIPs?.[0] ?? '<unknown>',
    method: rest.verb,
    user: user.username || '<none>',
    groups: user.username && user.groups?.length ? listOf(user.groups) : '<none>',
    as: impersonatedUser ? (impersonatedUser.username ?? '') : '<self>',
    asgroups: impersonatedUser?.groups ? listOf(impersonatedUser.groups) : '<lookup>',
    'user-agent': rest.userAgent ?? '',
    namespace: objectRef?.namespace || '<none>',
    uri: rest.requestURI,
  };
  const described = Object.entries(fields).map(([name, value]) => `${name}=${quote(value)}`);
  const response = responseStatus ? (responseStatus.code ?? 0) : '<deferred>';
  return `${goTime(rest.requestReceivedTimestamp)} AUDIT: ${described.join(' ')} response="${response}"`;
}

const listOf = (items: readonly string[]): string => items.map((item) => quote(item)).join(',');

/** Go leaves out trailing zeros of a fraction. */
function goTime(time: string): string {
  let end = time.length - 1;
  while (time[end - 1] === '0' && time.includes('.')) end--;
  if (time[end - 1] === '.') end--;
  return `${time.slice(0, end)}Z`;
}
