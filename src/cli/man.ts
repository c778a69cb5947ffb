/** `k8ts man`: the manual page, from the table of commands and their flags. */
import { K8TS_VERSION } from '../base/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { outputFlag, type Commands } from './command.ts';
import { describeCommand, type CommandDescription } from './describe-command.ts';
import { print } from './output.ts';

export const flags = { ...outputFlag } as const satisfies FlagTable;

export async function run(argv: readonly string[], commands: Commands): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts man: print the manual page: k8ts man | man -l -' }));
    return 0;
  }
  const described = await Promise.all(
    Object.entries(commands).map(([name, command]) => describeCommand(name, command)),
  );
  print(values.output, { page: manualPage(described) }, ({ page }) => page);
  return 0;
}

/** In man(7)'s macros. */
export function manualPage(commands: readonly CommandDescription[]): string {
  return [
    `.TH K8TS 1 "" "k8ts ${K8TS_VERSION}" "User Commands"`,
    '.SH NAME',
    String.raw`k8ts \- Kubernetes, whole, in one program`,
    '.SH SYNOPSIS',
    '.B k8ts',
    String.raw`.I COMMAND \fR[\fIFLAGS\fR]`,
    '.SH DESCRIPTION',
    'An API server, an etcd, a scheduler, a controller manager, a kubelet, a container runtime, kube-proxy and cluster DNS.',
    'Each is a command; k8ts up runs all of them as a cluster.',
    '.SH COMMANDS',
    ...commands.flatMap(section),
    '.SH FILES',
    '.TP',
    escaped('.k8ts'),
    'The data directory of a cluster that is started without \\-\\-data\\-dir; its kubeconfig is in it.',
    '.SH ENVIRONMENT',
    '.TP',
    'K8TS_DEBUG',
    'Prints the whole error of a command that fails.',
    '.SH EXIT STATUS',
    '0 when the command did what it was asked, 1 otherwise.',
  ].join('\n');
}

const section = ({ name, summary, verbs, flags: known }: CommandDescription): string[] => [
  `.SS ${escaped(`k8ts ${name}${verbs.length > 0 ? ` [${verbs.join('|')}]` : ''}`)}`,
  escaped(`${summary}.`),
  ...known.flatMap((flag) => [
    '.TP',
    `.B ${escaped([flag.shorthand, flag.name].filter((part) => part !== undefined).join(', '))}`,
    escaped(`${flag.summary}.`),
  ]),
];

/** A backslash begins an escape, a dash would become a hyphen, and a dot at the start of a line is a request. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replace(/^(?=[.'])/, String.raw`\&`);
