import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What an end-to-end test needs of the machine: `root`, the name of a program on the PATH or in K8TS_UPSTREAM_BIN, or
 * `etcdctl>=3.5`.
 * Gives the reason to skip the test, undefined when everything is there.
 */
export function requires(...needs: readonly string[]): string | undefined {
  const missing = needs.filter((need) => (need === 'root' ? process.getuid?.() !== 0 : !hasProgram(need)));
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')}`;
}

function hasProgram(need: string): boolean {
  const [name = '', least] = need.split('>=');
  const path = findProgram(name);
  if (path === undefined || least === undefined) return path !== undefined;
  const version = versions.get(path) ?? versionOf(path);
  versions.set(path, version);
  return version !== undefined && version.localeCompare(least, 'en', { numeric: true }) >= 0;
}

/** By path: many tests ask for the version of kubectl. */
const versions = new Map<string, string | undefined>();

/** The first number of the form 1.2 that the program prints of itself. kubectl would ask a server for its version, too. */
function versionOf(path: string): string | undefined {
  for (const args of [['--version'], ['version', '--client'], ['version']]) {
    try {
      const text = execFileSync(path, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      const version = /\d+\.\d+/.exec(text)?.[0];
      if (version !== undefined) return version;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** True when the long forms of tests were asked for. */
export const everything = process.env.K8TS_EVERYTHING === '1';

/** True when nothing else keeps the machine busy: tests then hold what they time to its limits. */
export const quietMachine = process.env.K8TS_QUIET_MACHINE === '1';

/** The first rows of a table of cases that are much alike; all of them when the long forms were asked for. */
export const some = <T>(rows: readonly T[], count: number): T[] => (everything ? [...rows] : rows.slice(0, count));

/** Upstream's components, which no distribution has in a package, may lie in the folders of K8TS_UPSTREAM_BIN. */
const { K8TS_UPSTREAM_BIN: upstream, PATH: path = '' } = process.env;
// What is found is what runs: tests start programs by their names.
if (upstream && !path.startsWith(upstream)) process.env.PATH = `${upstream}${delimiter}${path}`;

export const findProgram = (name: string): string | undefined => findPrograms(name)[0];

/** All programs of that name, in the order of the folders. */
export function findPrograms(name: string): string[] {
  return (process.env.PATH ?? '').split(delimiter).flatMap((folder) => {
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      return [program];
    } catch {
      return [];
    }
  });
}
