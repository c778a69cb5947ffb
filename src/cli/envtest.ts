/** `k8ts envtest`: a directory with kube-apiserver, etcd and kubectl, for controller-runtime's KUBEBUILDER_ASSETS. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { K8TS_VERSION } from '../base/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { makeDirectorySync } from '../kernel/index.ts';
import { outputFlag } from './command.ts';
import { print } from './output.ts';

export const flags = {
  directory: { kind: 'text', summary: "Where to write it (default: in the user's cache)" },
  ...outputFlag,
} as const satisfies FlagTable;

const USAGE = `k8ts envtest: print a directory with kube-apiserver, etcd and kubectl for controller-runtime's envtest

  export KUBEBUILDER_ASSETS=$(k8ts envtest)
  go test ./...`;

const COMPONENTS = ['kube-apiserver', 'etcd'];

export function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return Promise.resolve(0);
  }
  const directory = path.resolve(values.directory ?? path.join(cacheDirectory(), 'k8ts', 'envtest', K8TS_VERSION));
  const program = fs.realpathSync(process.argv[1]!);
  makeDirectorySync(directory, { mode: 0o755 });
  for (const name of COMPONENTS) writeProgram(path.join(directory, name), componentScript(program, name));
  const kubectl = findInPath('kubectl', directory);
  writeProgram(path.join(directory, 'kubectl'), kubectl ? `exec ${shellWord(kubectl)} "$@"` : NO_KUBECTL);
  print(values.output, { directory, programs: [...COMPONENTS, 'kubectl'], kubectl: kubectl ?? null }, () => directory);
  return Promise.resolve(0);
}

const cacheDirectory = (): string => process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');

/** Node's own options, such as the memory limit of a test runner, stay those of whoever asked. */
const componentScript = (program: string, name: string): string =>
  `exec ${shellWord(process.execPath)} ${shellWord(program)} ${name} "$@"`;

const NO_KUBECTL = 'echo "kubectl was not installed when k8ts envtest was called" >&2\nexit 127';

/** Replaced at once: tests that run may start it at any time. */
function writeProgram(file: string, body: string): void {
  const temporary = `${file}.${process.pid}`;
  fs.writeFileSync(temporary, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  fs.renameSync(temporary, file);
}

const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A kubectl other than the one that is written here. */
function findInPath(program: string, except: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => folder !== '' && path.resolve(folder) !== except)
    .map((folder) => path.join(folder, program))
    .find((file) => {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
