/**
 * The command line: `k8ts COMMAND [flags]`. A file of this folder is a command; only the one that is called is loaded.
 */
import { commands } from './commands.ts';
import { explainError } from './explain-error.ts';
import { nearest } from './nearest.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = argv;
  if (name === 'help' || name === '--help' || name === '-h') return help();
  if (name === '--version') return main(['version', ...rest]);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    const near = nearest(name, Object.keys(commands));
    console.error(`k8ts: unknown command "${name}"${near ? `; did you mean ${near}?` : '; "k8ts help" lists them'}`);
    return 1;
  }
  try {
    return await (await command.load()).run(rest);
  } catch (error) {
    console.error(`k8ts ${name}: ${explainError(error)}`);
    if (process.env['K8TS_DEBUG']) console.error(error);
    return 1;
  }
}

function help(): number {
  console.log('k8ts: Kubernetes, whole, in one npm package.\n\nCommands:');
  for (const [name, { summary }] of Object.entries(commands)) console.log(`  ${name.padEnd(24)} ${summary}`);
  console.log('\n"k8ts COMMAND --help" tells a command\'s flags.');
  return 0;
}

void main(process.argv.slice(2)).then((code) => (process.exitCode = code));
