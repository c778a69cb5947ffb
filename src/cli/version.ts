/** `k8ts version`: the versions. */
import fs from 'node:fs';
import path from 'node:path';
import { VERSION } from '../api/kubernetes-version.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { outputFlag } from './command.ts';
import { print } from './output.ts';

export const flags = { ...outputFlag } as const satisfies FlagTable;

export function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts version: print the versions' }));
    return Promise.resolve(0);
  }
  print(
    values.output,
    { k8ts: packageVersion(), kubernetes: VERSION.gitVersion, node: process.version },
    ({ k8ts, kubernetes, node }) => `k8ts ${k8ts}\nKubernetes API ${kubernetes}\nNode ${node}`,
  );
  return Promise.resolve(0);
}

/** The version in the nearest package.json. */
function packageVersion(): string {
  for (let directory = import.meta.dirname; ; directory = path.dirname(directory)) {
    const file = path.join(directory, 'package.json');
    const found = fs.existsSync(file)
      ? (JSON.parse(fs.readFileSync(file, 'utf8')) as { name?: string; version?: string })
      : {};
    if (found.name === 'k8ts') return found.version ?? 'unknown';
    if (path.dirname(directory) === directory) return 'unknown';
  }
}
