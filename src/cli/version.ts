/** `k8ts version`: the versions. */
import { VERSION } from '../api/kubernetes-version.ts';
import { K8TS_VERSION } from '../base/index.ts';
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
    { k8ts: K8TS_VERSION, kubernetes: VERSION.gitVersion, node: process.version },
    ({ k8ts, kubernetes, node }) => `k8ts ${k8ts}\nKubernetes API ${kubernetes}\nNode ${node}`,
  );
  return Promise.resolve(0);
}
