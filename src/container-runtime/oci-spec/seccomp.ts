/** Selects and loads the seccomp profile of a container: Unconfined, RuntimeDefault or Localhost. */
import { errorMessage } from '../../base/index.ts';
import type { LinuxContainerSecurityContext } from '../../cri/index.ts';
import type { OciSeccomp, OciSyscallRule } from './oci-types.ts';
import { defaultSeccompProfile } from './seccomp-default.ts';

type SeccompChoice =
  | { readonly type: 'unconfined' }
  | { readonly type: 'default' }
  | { readonly type: 'localhost'; readonly file: string };

export function seccompChoice(context: LinuxContainerSecurityContext | undefined): SeccompChoice {
  if (context?.privileged) return { type: 'unconfined' };
  const { seccomp, seccompProfilePath = '' } = context ?? {};
  if (seccomp === undefined) return legacyChoice(seccompProfilePath);
  // RuntimeDefault is the enum's zero, which proto3 omits.
  switch (seccomp.profileType ?? 'RuntimeDefault') {
    case 'Unconfined':
      return { type: 'unconfined' };
    case 'RuntimeDefault':
      return { type: 'default' };
    case 'Localhost':
      return localhost(seccomp.localhostRef ?? '');
  }
}

/** CRI's older field, in the format of the former annotation. */
function legacyChoice(path: string): SeccompChoice {
  if (path === '' || path === 'unconfined') return { type: 'unconfined' };
  if (path === 'runtime/default' || path === 'docker/default') return { type: 'default' };
  if (path.startsWith('localhost/')) return localhost(path.slice('localhost/'.length));
  throw new Error(`invalid seccomp profile ${JSON.stringify(path)}`);
}

function localhost(file: string): SeccompChoice {
  if (!file.startsWith('/'))
    throw new Error(`the seccomp profile ${JSON.stringify(file)} is not given by an absolute path`);
  return { type: 'localhost', file };
}

interface SeccompOptions {
  readonly machine: string;
  readonly capabilities: readonly string[];
  /** The text of a localhost profile. */
  readonly readProfile: (file: string) => string;
}

export function seccompProfile(
  choice: SeccompChoice,
  { machine, capabilities, readProfile }: SeccompOptions,
): OciSeccomp | undefined {
  if (choice.type === 'unconfined') return undefined;
  if (choice.type === 'default') return defaultSeccompProfile(machine, capabilities);
  return parseProfile(readProfile(choice.file), choice.file, capabilities);
}

interface ProfileRule extends Omit<OciSyscallRule, 'names'> {
  names?: string[];
  name?: string;
  includes?: { caps?: string[]; arches?: string[] };
  excludes?: { caps?: string[]; arches?: string[] };
}

interface ProfileFile extends Omit<OciSeccomp, 'syscalls'> {
  archMap?: { architecture: string; subArchitectures?: string[] }[];
  syscalls?: ProfileRule[];
}

/** Parses a profile in the OCI format, or in Docker's, whose rules may depend on capabilities. */
function parseProfile(text: string, file: string, capabilities: readonly string[]): OciSeccomp {
  let profile: ProfileFile;
  try {
    profile = JSON.parse(text) as ProfileFile;
  } catch (error) {
    throw new Error(`the seccomp profile ${file} is not JSON: ${errorMessage(error)}`, { cause: error });
  }
  if (typeof profile !== 'object' || profile === null || typeof profile.defaultAction !== 'string') {
    throw new Error(`the seccomp profile ${file} has no defaultAction`);
  }
  const { archMap, syscalls = [], ...rest } = profile;
  const has = (capability: string): boolean => capabilities.includes(capability);
  const rules = syscalls
    .filter((rule) => (rule.includes?.caps ?? []).every(has) && !(rule.excludes?.caps ?? []).some(has))
    .map(({ includes: _includes, excludes: _excludes, name, names, ...rule }) => ({
      ...rule,
      names: names ?? (name === undefined ? [] : [name]),
    }));
  const architectures =
    rest.architectures ??
    archMap?.flatMap(({ architecture, subArchitectures = [] }) => [architecture, ...subArchitectures]);
  return { ...rest, ...(architectures ? { architectures } : {}), syscalls: rules };
}
