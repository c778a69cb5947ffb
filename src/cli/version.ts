/** `k8ts version`: the versions. */
import { VERSION } from '../apiserver/version.ts';
import { parseFlags, type FlagTable } from '../kernel/index.ts';
import { outputFlag } from './command.ts';
import { print } from './output.ts';

export const flags = { ...outputFlag } as const satisfies FlagTable;

export function run(argv: readonly string[]): Promise<number> {
  const { values } = parseFlags(argv, flags);
  print(values.output, { kubernetes: VERSION.gitVersion, node: process.version }, ({ kubernetes, node }) => `Kubernetes API ${kubernetes}\nNode ${node}`);
  return Promise.resolve(0);
}
