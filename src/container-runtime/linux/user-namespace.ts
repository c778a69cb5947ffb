import fs from 'node:fs';

const EVERY_ID = 4_294_967_295;

let known: boolean | undefined;

/**
 * Whether this process is root of a user namespace only: it cannot create device nodes, lower an oom_score_adj, or use
 * attributes `trusted.*`.
 */
export function inUserNamespace(): boolean {
  return (known ??= isUserNamespace(fs.readFileSync('/proc/self/uid_map', 'utf8')));
}

/** The first user namespace maps every id to itself. */
export function isUserNamespace(uidMap: string): boolean {
  const [inside, outside, count] = uidMap.trim().split(/\s+/).map(Number);
  return inside !== 0 || outside !== 0 || count !== EVERY_ID;
}
