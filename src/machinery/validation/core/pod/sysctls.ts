/** Validates sysctls. */
import type { PodSpec, Sysctl } from '../../../../api/generated/core-v1.ts';
import { duplicate, type FieldError, invalidValue, type Path, required } from '../../../errors/index.ts';
import { utf8Longer } from '../../../names/index.ts';

const MAX_LENGTH = 253;
const SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const NAME = `^(${SEGMENT}[\\./])*${SEGMENT}$`;
const NAME_RE = new RegExp(NAME);

const isSysctlName = (name: string): boolean => !utf8Longer(name, MAX_LENGTH) && NAME_RE.test(name);

interface SysctlRules {
  readonly spec: PodSpec;
  readonly allowNamespacedSysctlsOfHost: boolean;
}

export function validateSysctls(errors: FieldError[], sysctls: readonly Sysctl[], at: Path, rules: SysctlRules): void {
  const seen = new Set<string>();
  for (const [i, { name = '' }] of sysctls.entries()) {
    const here = at.index(i).child('name');
    if (name === '') errors.push(required(here));
    else if (!isSysctlName(name)) {
      errors.push(invalidValue(here, name, `must have at most ${MAX_LENGTH} characters and match regex ${NAME}`));
    } else if (seen.has(name)) errors.push(duplicate(here, name));
    if (!rules.allowNamespacedSysctlsOfHost) {
      const field = hostFieldOf(name, rules.spec);
      if (field) errors.push(invalidValue(here, name, `may not be specified when '${field}' is true`));
    }
    seen.add(name);
  }
}

/** Whether the sysctl belongs to a namespace that the pod shares with the host. */
export const isNamespacedSysctlOfHost = (name: string, spec: PodSpec): boolean => hostFieldOf(name, spec) !== undefined;

function hostFieldOf(name: string, spec: PodSpec): 'hostNetwork' | 'hostIPC' | undefined {
  const namespace = namespaceOf(name);
  if (namespace === 'net' && spec.hostNetwork) return 'hostNetwork';
  if (namespace === 'ipc' && spec.hostIPC) return 'hostIPC';
  return undefined;
}

const IPC_NAMES = [
  'kernel.sem',
  ...['all', 'max', 'mni', '_rmid_forced', ''].map((name) => `kernel.shm${name}`),
  ...['max', 'mnb', 'mni', ''].map((name) => `kernel.msg${name}`),
];

function namespaceOf(name: string): 'net' | 'ipc' | undefined {
  const dotted = withDots(name).split('*', 1)[0]!;
  if (IPC_NAMES.includes(dotted) || dotted.startsWith('fs.mqueue.')) return 'ipc';
  return dotted.startsWith('net.') ? 'net' : undefined;
}

/** If a slash comes first, slashes are the separators, and dots and slashes are swapped. */
function withDots(name: string): string {
  const first = /[./]/.exec(name)?.[0];
  return first === '/' ? name.replace(/[./]/g, (char) => (char === '/' ? '.' : '/')) : name;
}
