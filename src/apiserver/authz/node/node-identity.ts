/** Which node a user is: kubelets are `system:node:NAME` in the group system:nodes. */
import type { UserInfo } from '../../request/request.ts';

const PREFIX = 'system:node:';

/** undefined: not a node. '': a node that does not say which. */
export function nodeNameOf(user: UserInfo): string | undefined {
  if (!user.name.startsWith(PREFIX) || !user.groups.includes('system:nodes')) return undefined;
  return user.name.slice(PREFIX.length);
}
