/** Finds the programs that the runtime needs, and names the package to install when one is missing. */
import fs from 'node:fs';
import path from 'node:path';

const DEBIAN_PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ conmon: 'conmon', runc: 'runc', crun: 'crun' }),
);
const FALLBACK_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

class ProgramMissing extends Error {
  override readonly name = 'ProgramMissing';
  readonly code = 'program-missing';

  constructor(program: string, purpose: string) {
    const debianPackage = DEBIAN_PACKAGES.get(path.basename(program));
    super(
      `the program ${JSON.stringify(program)} is not installed: ${purpose}${debianPackage === undefined ? '' : ` (Debian package ${debianPackage})`}`,
    );
  }
}

/** The absolute path of a program. Looks into the sbin folders too, which services often miss in their PATH. */
export function locateProgram(program: string, purpose: string): string {
  const candidates = path.isAbsolute(program)
    ? [program]
    : [...(process.env['PATH'] ?? '').split(path.delimiter), ...FALLBACK_PATH.split(':')]
        .filter((folder) => folder !== '')
        .map((folder) => path.join(folder, program));
  for (const candidate of candidates) {
    try {
      fs.accessSync(candidate, fs.constants.X_OK);
      return candidate;
    } catch {
      continue;
    }
  }
  throw new ProgramMissing(program, purpose);
}
