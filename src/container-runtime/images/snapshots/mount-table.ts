/** Reads the mount table, /proc/self/mountinfo. */
import { readFile } from 'node:fs/promises';

interface MountEntry {
  readonly target: string;
  readonly type: string;
  readonly options: string;
  readonly superOptions: string;
}

/** All mounts, in mount order. */
export async function readMounts(): Promise<MountEntry[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseMountLine);
}

/** `36 35 98:0 /root /target rw,noatime optional… - type source superoptions` */
function parseMountLine(line: string): MountEntry {
  const [before = '', after = ''] = line.split(' - ', 2);
  const fields = before.split(' ');
  const [type = '', , superOptions = ''] = after.split(' ');
  return { target: unescapeOctal(fields[4] ?? ''), options: fields[5] ?? '', type, superOptions };
}

export async function isMounted(target: string): Promise<boolean> {
  return (await readMounts()).some((mount) => mount.target === target);
}

/** The kernel escapes white space and backslashes in octal, e.g. \040. */
function unescapeOctal(text: string): string {
  if (!text.includes('\\')) return text;
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return Buffer.from(plain, 'latin1').toString('utf8');
}
