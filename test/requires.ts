import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What an end-to-end test needs of the machine: `root`, or the name of a program on the PATH.
 * Gives the reason to skip the test, undefined when everything is there.
 */
export function requires(...needs: readonly string[]): string | undefined {
  const missing = needs.filter((need) => (need === 'root' ? process.getuid?.() !== 0 : findProgram(need) === undefined));
  return missing.length === 0 ? undefined : `needs ${missing.join(', ')}`;
}

/** True when the long forms of tests were asked for. */
export const everything = process.env.K8TS_EVERYTHING === '1';

/** The first rows of a table of cases that are much alike; all of them when the long forms were asked for. */
export const some = <T>(rows: readonly T[], count: number): T[] => (everything ? [...rows] : rows.slice(0, count));

export function findProgram(name: string): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return undefined;
}
