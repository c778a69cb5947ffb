/** The node identity of a user: kubelets are `system:node:NAME` in the group system:nodes. */
import type { UserInfo } from '../../request/request.ts';

const PREFIX = 'system:node:';

/** Undefined if the user is not a node; empty if the user name has no node name. */
export function nodeNameOf(user: UserInfo): string | undefined {
  if (!user.name.startsWith(PREFIX) || !user.groups.includes('system:nodes')) return undefined;
  return user.name.slice(PREFIX.length);
}
