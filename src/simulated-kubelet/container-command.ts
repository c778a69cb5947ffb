/**
 * What a container's command would do, for the few commands that tests give to containers that end: `sleep`, `true`,
 * `false`, `echo`, and a shell with a list of these and `exit`.
 */
import type { Container } from '../api/generated/core-v1.ts';

interface CommandOutcome {
  readonly runMs: number;
  readonly exitCode: number;
  readonly output: readonly string[];
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash']);
const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** Undefined for a command that is not simulated: then the container runs until something else ends it. */
export function commandOutcome({
  command = [],
  args = [],
}: Pick<Container, 'command' | 'args'>): CommandOutcome | undefined {
  const words = [...command, ...args];
  const shell = words.indexOf('-c');
  return shell > 0 && isShell(words.slice(0, shell)) && words.length === shell + 2
    ? listOutcome(words[shell + 1]!)
    : statementOutcome(words);
}

const PAUSE_IMAGE = /(?:^|\/)pause(?:[:@]|$)/;

/** Whether a container is there to wait until it is stopped, also as part of a Job. */
export function waitsForEver({
  image = '',
  command = [],
  args = [],
}: Pick<Container, 'image' | 'command' | 'args'>): boolean {
  const words = [...command, ...args];
  if (words.length === 0) return PAUSE_IMAGE.test(image);
  return words.at(-1) === 'pause' || (baseName(words[0]!) === 'sleep' && words[1] === 'infinity');
}

/** `sh`, `/bin/bash -e`, `busybox sh`. */
function isShell(words: readonly string[]): boolean {
  const names = words.filter((word) => !word.startsWith('-')).map(baseName);
  return names.length <= 2 && SHELLS.has(names.at(-1) ?? '') && (names.length === 1 || names[0] === 'busybox');
}

const baseName = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** A list of statements, joined by `;`, line feeds, `&&` and `||`. */
function listOutcome(text: string): CommandOutcome | undefined {
  let runMs = 0;
  let exitCode = 0;
  const output: string[] = [];
  let joint = ';';
  for (const part of text.split(/(;|\n|&&|\|\|)/)) {
    const statement = part.trim();
    if (/^(?:;|&&|\|\|)$/.test(statement) || part === '\n') {
      joint = statement === '' ? ';' : statement;
      continue;
    }
    if (statement === '' || (joint === '&&' && exitCode !== 0) || (joint === '||' && exitCode === 0)) continue;
    const words = statement.split(/\s+/).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
    const outcome = statementOutcome(words);
    if (outcome === undefined) return undefined;
    runMs += outcome.runMs;
    exitCode = outcome.exitCode;
    output.push(...outcome.output);
    if (words[0] === 'exit') break;
  }
  return { runMs, exitCode, output };
}

function statementOutcome([program = '', ...rest]: readonly string[]): CommandOutcome | undefined {
  const ends = (exitCode: number, output: readonly string[] = []): CommandOutcome => ({ runMs: 0, exitCode, output });
  switch (baseName(program)) {
    case 'true':
      return ends(0);
    case 'false':
      return ends(1);
    case 'exit':
      return /^\d*$/.test(rest[0] ?? '') ? ends(Number(rest[0] ?? 0) & 0xff) : undefined;
    case 'echo':
      // Quoted words with spaces, variables and redirections are a shell's business.
      return /["'$><|`]/.test(rest.join(' ')) ? undefined : ends(0, [rest.join(' ')]);
    case 'sleep': {
      const seconds = rest.map(secondsOf);
      return rest.length === 0 || seconds.includes(undefined)
        ? undefined
        : { ...ends(0), runMs: seconds.reduce<number>((sum, one) => sum + one!, 0) * 1000 };
    }
    default:
      return undefined;
  }
}

function secondsOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS.get(unit ?? '')!;
}
