/** `k8ts bench`: the measurements of the repository, here or against another API server. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { checkKubeconfigFile } from './check-kubeconfig.ts';
import { CommandError, outputFlag } from './command.ts';

export const flags = {
  filter: { kind: 'text', summary: 'Run only modules whose name contains this text' },
  against: { kind: 'text', summary: 'Kubeconfig of another API server to measure in turn' },
  duration: { kind: 'whole', default: 1000, summary: 'Milliseconds to measure each row' },
  ...outputFlag,
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts bench: measure k8ts, alone or against another API server' }));
    return 0;
  }
  if (values.against !== undefined && !fs.existsSync(values.against))
    throw new CommandError(`there is no kubeconfig ${values.against}`);
  if (values.against !== undefined) await checkKubeconfigFile(values.against);
  const script = [
    path.join(import.meta.dirname, '..', 'scripts', 'bench.mjs'),
    path.join(import.meta.dirname, '..', '..', 'scripts', 'bench.mjs'),
  ].find((candidate) => fs.existsSync(candidate));
  if (script === undefined)
    throw new CommandError(
      'benchmarks are part of the repository, not of the package; run "npm run bench" in a clone of it',
    );
  const args = [
    '--duration',
    String(values.duration),
    ...(values.filter ? ['--filter', values.filter] : []),
    ...(values.against ? ['--against', path.resolve(values.against)] : []),
    ...(values.output === 'json' ? ['--json'] : []),
  ];
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
  return new Promise((resolve, reject) => child.once('error', reject).once('exit', (code) => resolve(code ?? 1)));
}
