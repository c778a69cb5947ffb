/** The command line: `k8ts COMMAND [flags]`. Each command is a file of this folder; only the called one is loaded. */
import { nearest } from '../base/index.ts';
import { enableSingleIdleGc, RealClock } from '../kernel/index.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { explainError } from './explain-error.ts';
import { hintFor, hintForPhrase } from './other-tools.ts';
import { print } from './output.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  const [subject] = rest;
  if (name === 'help' && subject !== undefined && Object.hasOwn(commands, subject))
    return main([subject, '--help', ...rest.slice(1)]);
  if (name === 'help' || name === '--help' || name === '-h') return help(rest);
  if (name === '--version') return main(['version', ...rest]);
  const phrase = hintForPhrase(argv);
  const command = Object.hasOwn(commands, name) && phrase === undefined ? commands[name] : undefined;
  if (!command) {
    const hint = hintFor(argv);
    const unknown = phrase === undefined ? name : argv.slice(0, 2).join(' ');
    const near = hint === undefined ? nearest(name, Object.keys(commands)) : undefined;
    const help = hint ? `; it is "${hint}" here` : near ? `; did you mean ${near}?` : '; "k8ts help" lists them';
    console.error(`k8ts: unknown command "${unknown}"${help}`);
    return 1;
  }
  try {
    return (await describe(name, command, rest)) ?? (await (await command.load()).run(rest, commands));
  } catch (error) {
    const explained = explainError(error);
    console.error(`k8ts ${name}: ${explained}`);
    /** Reports to the parent of `--detach`: the log may be on a full disk. */
    if (process.connected) process.send?.({ failed: explained });
    if (process.env['K8TS_DEBUG']) console.error(error);
    return 1;
  }
}

/** Handles `--help -o json` and `--version` of every command; undefined when the command is to run. */
async function describe(name: string, command: Command, argv: readonly string[]): Promise<number | undefined> {
  const ours = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  if (wantsJson(ours) && ours.some((word) => word === '--help' || word === '-h')) {
    const { describeCommand } = await import('./describe-command.ts');
    print('json', await describeCommand(name, command), () => '');
    return 0;
  }
  if (!command.component || !ours.some((word) => word.startsWith('--version'))) return undefined;
  const { requestedVersion, componentVersion } = await import('./component-version.ts');
  const requested = requestedVersion(name, ours);
  if (requested === undefined) return undefined;
  const { text, value } = componentVersion(name, requested);
  print(wantsJson(ours) ? 'json' : 'text', value, () => text);
  return 0;
}

const wantsJson = (argv: readonly string[]): boolean => /(?:^| )(?:-o|--output)[= ]?json(?: |$)/.test(argv.join(' '));

function help(argv: readonly string[]): number {
  const all = Object.entries(commands).map(([name, { summary }]) => ({ name, summary }));
  print(wantsJson(argv) ? 'json' : 'text', all, () => {
    const lines = all.map(({ name, summary }) => `  ${name.padEnd(24)} ${summary}`);
    return `k8ts: Kubernetes, whole, in one npm package.\n\nCommands:\n${lines.join('\n')}\n\n"k8ts COMMAND --help" prints the flags of a command; -o json prints results as JSON.`;
  });
  return 0;
}

enableSingleIdleGc();
/** A finished command exits even if something still keeps the event loop alive. */
const MAX_EXIT_DELAY_MS = 5000;

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
  new RealClock().deadline(MAX_EXIT_DELAY_MS).addEventListener('abort', () => {
    if (process.env['K8TS_DEBUG']) console.error('still running:', process.getActiveResourcesInfo());
    process.exit();
  });
});
