/** Resolves the user and groups of a container: numeric ids, or names in the image's /etc/passwd and /etc/group. */
import type { LinuxContainerSecurityContext } from '../../cri/index.ts';

interface UserFiles {
  /** The content of the image's files; empty if missing. */
  readonly passwd: string;
  readonly group: string;
}

export interface ResolvedUser {
  readonly uid: number;
  readonly gid: number;
  /** Includes the primary group, so that a setgid program cannot drop it. */
  readonly supplementalGroups: readonly number[];
}

interface PasswdEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

interface GroupEntry {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

const MAX_ID = 2 ** 32 - 2;

export function resolveUser(
  context: LinuxContainerSecurityContext | undefined,
  imageUser: string | undefined,
  files: UserFiles,
): ResolvedUser {
  const {
    runAsUser,
    runAsUsername,
    runAsGroup,
    supplementalGroups = [],
    supplementalGroupsPolicy = 'Merge',
  } = context ?? {};
  const requestedUser = runAsUsername || (runAsUser === undefined ? '' : String(runAsUser.value ?? 0));
  if (requestedUser === '' && runAsGroup !== undefined) throw new Error('a group to run as is given without a user');
  const [userPart = '', groupPart = ''] = (requestedUser === '' ? (imageUser ?? '') : requestedUser).split(':');

  const users = passwdEntries(files.passwd);
  const groups = groupEntries(files.group);
  const entry = findUser(userPart, users);
  const uid = entry?.uid ?? numericId(userPart, 'user');
  const gid =
    runAsGroup !== undefined
      ? (runAsGroup.value ?? 0)
      : groupPart !== ''
        ? findGroup(groupPart, groups)
        : (entry?.gid ?? 0);

  const imageGroups =
    supplementalGroupsPolicy === 'Strict' || !entry
      ? []
      : groups.filter((group) => group.members.includes(entry.name)).map((group) => group.gid);
  return { uid, gid, supplementalGroups: [...new Set([gid, ...imageGroups, ...supplementalGroups])] };
}

function findUser(text: string, users: readonly PasswdEntry[]): PasswdEntry | undefined {
  if (text === '') return users.find((user) => user.uid === 0) ?? { name: 'root', uid: 0, gid: 0 };
  return (
    users.find((user) => user.name === text) ??
    (isNumeric(text) ? users.find((user) => user.uid === Number(text)) : undefined)
  );
}

function findGroup(text: string, groups: readonly GroupEntry[]): number {
  return groups.find((group) => group.name === text)?.gid ?? numericId(text, 'group');
}

function numericId(text: string, what: 'user' | 'group'): number {
  if (!isNumeric(text)) throw new Error(`no ${what} ${JSON.stringify(text)} is found in the image`);
  const id = Number(text);
  if (id > MAX_ID) throw new Error(`the ${what} id ${text} is too large`);
  return id;
}

const isNumeric = (text: string): boolean => /^\d+$/.test(text);

function passwdEntries(text: string): PasswdEntry[] {
  return lines(text).flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    return isNumeric(uid) && isNumeric(gid) ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

function groupEntries(text: string): GroupEntry[] {
  return lines(text).flatMap((line) => {
    const [name = '', , gid = '', members = ''] = line.split(':');
    return isNumeric(gid)
      ? [{ name, gid: Number(gid), members: members.split(',').filter((member) => member !== '') }]
      : [];
  });
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
