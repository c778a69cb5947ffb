/** Parses a Dockerfile into instructions. What is not supported fails by name, with its line. */
import { BuildError } from './build-error.ts';

export interface Instruction {
  /** In upper case. */
  readonly name: InstructionName;
  /** The first line, from 1. */
  readonly line: number;
  /** `--from=builder` and the like, without the dashes. */
  readonly flags: ReadonlyMap<string, string>;
  /** What follows, with continuation lines joined. */
  readonly text: string;
  /** The words of the JSON form: `CMD ["a", "b"]`. */
  readonly words?: readonly string[];
}

/** The instructions, and the flags that each may have. */
const INSTRUCTIONS = {
  FROM: ['platform'],
  RUN: [],
  COPY: ['from', 'chown', 'chmod'],
  ADD: ['chown', 'chmod'],
  ENV: [],
  ARG: [],
  WORKDIR: [],
  USER: [],
  ENTRYPOINT: [],
  CMD: [],
  EXPOSE: [],
  VOLUME: [],
  LABEL: [],
  STOPSIGNAL: [],
  SHELL: [],
  MAINTAINER: [],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'start-interval', 'retries'],
} as const satisfies Record<string, readonly string[]>;

type InstructionName = keyof typeof INSTRUCTIONS;

/** `ENTRYPOINT ["a"]` is a list of words; in these a text that is no such list is a shell's. */
const WITH_JSON: ReadonlySet<InstructionName> = new Set([
  'RUN',
  'COPY',
  'ADD',
  'ENTRYPOINT',
  'CMD',
  'VOLUME',
  'SHELL',
] as const);

const MAX_BYTES = 1024 * 1024;

export function parseDockerfile(source: string): Instruction[] {
  if (source.length > MAX_BYTES) throw new BuildError(0, `a Dockerfile has at most ${MAX_BYTES} characters`);
  const instructions: Instruction[] = [];
  let pending: { text: string; line: number } | undefined;
  for (const [index, raw] of source.replaceAll('\r\n', '\n').split('\n').entries()) {
    const line = index + 1;
    if (/^\s*#/.test(raw)) {
      checkDirective(raw, line, instructions.length === 0 && pending === undefined);
      continue;
    }
    if (raw.trim() === '' && pending === undefined) continue;
    // Empty lines inside of a continued instruction are skipped, as docker does.
    if (raw.trim() === '') continue;
    const continued = /\\\s*$/.test(raw);
    const text = continued ? raw.replace(/\\\s*$/, '') : raw;
    pending = pending ? { ...pending, text: `${pending.text}${text}` } : { text, line };
    if (continued) continue;
    instructions.push(parseInstruction(pending.text.trim(), pending.line));
    pending = undefined;
  }
  if (pending) instructions.push(parseInstruction(pending.text.trim(), pending.line));
  const first = instructions.find(({ name }) => name !== 'ARG');
  if (first?.name !== 'FROM')
    throw new BuildError(first?.line ?? 0, first ? 'FROM must come first' : 'the Dockerfile has no instructions');
  return instructions;
}

/** `# escape=` at the top changes how lines continue. */
function checkDirective(raw: string, line: number, atTop: boolean): void {
  const escape = /^\s*#\s*escape\s*=\s*(\S+)/i.exec(raw)?.[1];
  if (atTop && escape !== undefined && escape !== '\\')
    throw new BuildError(line, `the escape character ${escape} is not supported; it is \\`);
}

function parseInstruction(source: string, line: number): Instruction {
  const [word = ''] = source.split(/\s/, 1);
  const name = word.toUpperCase();
  if (!isInstruction(name)) throw new BuildError(line, `the instruction ${word} is not supported`);
  let text = source.slice(word.length).trim();
  const flags = new Map<string, string>();
  for (let match = FLAG.exec(text); match; match = FLAG.exec(text)) {
    const [whole, flag = '', value = ''] = match;
    if (!(INSTRUCTIONS[name] as readonly string[]).includes(flag))
      throw new BuildError(line, `the flag --${flag} of ${name} is not supported`);
    flags.set(flag, value);
    text = text.slice(whole.length).trim();
  }
  if (/<<-?\s*["']?[A-Za-z_]/.test(text) && (name === 'RUN' || name === 'COPY' || name === 'ADD'))
    throw new BuildError(line, `here-documents (<<EOF) of ${name} are not supported`);
  if (text === '') throw new BuildError(line, `${name} needs something after it`);
  const words = WITH_JSON.has(name) ? jsonWords(text) : undefined;
  return { name, line, flags, text, ...(words ? { words } : {}) };
}

const FLAG = /^--([a-z-]+)(?:=(\S*))?(?=\s|$)/;

const isInstruction = (name: string): name is InstructionName => Object.hasOwn(INSTRUCTIONS, name);

function jsonWords(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? (value as string[]) : undefined;
  } catch {
    return undefined;
  }
}
