/** Runs another program in the foreground, for a command that prepares its environment. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CommandError } from './command.ts';

/** Its exit code; 128 and the signal's number when a signal ended it, as shells do. */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
    child.once('error', (error) => reject(new CommandError(`${program} cannot be run: ${error.message}`)));
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
