/**
 * A configuration file: YAML whose keys are the flags of a command, checked by the command's table. All mistakes are
 * told at once, each with its line.
 */
import fs from 'node:fs';
import path from 'node:path';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import { DurationError, errorMessage, nearest, parseDuration } from '../base/index.ts';
import { UsageError, type FlagDeclaration, type FlagKind, type FlagTable, type FlagTypes } from './flag-table.ts';
import { checkAllowed, type FileValue } from './parse-flags.ts';

export interface ConfigFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, FileValue>;
  /** Warnings about keys that have no effect. */
  readonly warnings: readonly string[];
}

/** Far more than all flags need. */
const MAX_BYTES = 256 * 1024;

export function readConfigFile(file: string, table: FlagTable): ConfigFile {
  let text: string;
  try {
    const { size } = fs.statSync(file);
    if (size > MAX_BYTES) throw new UsageError(`${file} has ${size} bytes, and may have ${MAX_BYTES}`);
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the configuration file ${file} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
  const parsed = parseConfig(text, table, file);
  checkReadableByOwnerOnly(file, [...parsed.values.keys()], table);
  return parsed;
}

/** `file` names the file in messages; relative paths in it start at its directory. */
export function parseConfig(text: string, table: FlagTable, file: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, stringKeys: true, version: '1.2' });
  const problems: string[] = [];
  const lineOf = (node: Node | null | undefined): number => lines.linePos(node?.range?.[0] ?? 0).line;
  const problem = (line: number, message: string): void => void problems.push(`${file}:${line}: ${message}`);
  const fail = (): never => {
    throw new UsageError(problems.join('\n'));
  };
  for (const { pos, message } of document.errors)
    problem(lines.linePos(pos[0]).line, message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, ''));
  if (problems.length > 0) fail();
  const { contents } = document;
  const values = new Map<string, FileValue>();
  const warnings: string[] = [];
  if (contents === null || (isScalar(contents) && contents.value === null)) return { path: file, values, warnings };
  if (!isMap<Node, Node | null>(contents)) {
    problem(lineOf(contents), 'a configuration file is a map from names of flags to values, such as "port: 6443"');
    return fail();
  }
  const seen = new Map<string, number>();
  for (const { key, value } of contents.items) {
    const line = lineOf(key);
    const name = isScalar(key) ? String(key.value) : '';
    const before = seen.get(name);
    seen.set(name, line);
    try {
      if (before !== undefined) throw new Mistake(`it is already set in line ${before}`);
      const declaration = declarationOf(table, name);
      values.set(name, { value: valueOf(declaration, { name, node: value, file }), line });
      if (declaration.ignored !== undefined)
        warnings.push(`${file}:${line}: ${name} has no effect: ${declaration.ignored}`);
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      problem(error.node ? lineOf(error.node) : line, `${name}${error.at}: ${error.message}`);
    }
  }
  if (problems.length > 0) fail();
  return { path: file, values, warnings };
}

/** What is wrong with a key or its value. */
class Mistake extends Error {
  constructor(
    message: string,
    /** Where below the key, such as `[1]`. */
    readonly at = '',
    readonly node?: Node,
  ) {
    super(message);
  }
}

function declarationOf(table: FlagTable, name: string): FlagDeclaration {
  const declaration = Object.hasOwn(table, name) ? table[name] : undefined;
  if (declaration?.commandLineOnly) throw new Mistake(`it can only be a flag on the command line: --${name}`);
  if (declaration) return declaration;
  const known = Object.entries(table).flatMap(([key, { commandLineOnly }]) => (commandLineOnly ? [] : [key]));
  // A key in camelCase is a frequent guess.
  const dashed = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-');
  const near = nearest(dashed.replace(/^--/, ''), known);
  throw new Mistake(`there is no such key${near === undefined ? '' : `; did you mean ${near}?`}`);
}

interface Written {
  readonly name: string;
  readonly node: Node | null;
  readonly file: string;
}

function valueOf(declaration: FlagDeclaration, { name, node, file }: Written): FlagTypes[FlagKind] {
  const { kind } = declaration;
  const text = (part: Node | null, at: string): string => {
    const written = scalarText(part, at);
    return declaration.path && written !== '' ? path.resolve(path.dirname(path.resolve(file)), written) : written;
  };
  switch (kind) {
    case 'text':
      return allowed(name, declaration, text(node, ''));
    case 'texts':
    case 'repeated':
      if (!isSeq<Node>(node))
        throw new Mistake(`it must be a list, such as [${exampleOf(node)}]`, '', node ?? undefined);
      return node.items.map((item, index) => text(item, `[${index}]`));
    case 'pairs':
    case 'settings':
      return pairsOf(node);
    case 'switch':
      if (!isScalar(node) || typeof node.value !== 'boolean') throw wrong(node, 'true or false');
      allowed(name, declaration, String(node.value));
      return node.value;
    case 'whole':
      if (!isScalar(node) || !Number.isSafeInteger(node.value)) throw wrong(node, 'an integer');
      return node.value as number;
    case 'number':
      if (!isScalar(node) || typeof node.value !== 'number' || !Number.isFinite(node.value))
        throw wrong(node, 'a number');
      return node.value;
    case 'duration': {
      const written = scalarText(node, '');
      try {
        return parseDuration(written);
      } catch (error) {
        if (!(error instanceof DurationError)) throw error;
        throw new Mistake(`${JSON.stringify(written)} is not a duration, such as 90s or 1h30m`, '', node ?? undefined);
      }
    }
  }
}

/** A string, or a number as it is written: addresses and names may look like one. */
function scalarText(node: Node | null, at: string): string {
  if (isScalar(node) && typeof node.value === 'string') return node.value;
  if (isScalar(node) && typeof node.value === 'number') return node.source ?? String(node.value);
  throw wrong(node, 'a string', at);
}

function pairsOf(node: Node | null): Record<string, string> {
  if (!isMap<Node, Node | null>(node)) throw wrong(node, 'a map');
  const pairs: Record<string, string> = {};
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : '';
    if (Object.hasOwn(pairs, name)) throw new Mistake('it is set twice', `.${name}`, key);
    const isBoolean = isScalar(value) && typeof value.value === 'boolean';
    Object.defineProperty(pairs, name, {
      value: isBoolean ? String(value.value) : scalarText(value, `.${name}`),
      enumerable: true,
    });
  }
  return pairs;
}

function allowed(name: string, declaration: FlagDeclaration, text: string): string {
  try {
    checkAllowed(name, declaration, text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new Mistake(
      declaration.refused === undefined
        ? `it must be ${declaration.only!.join(' or ')}`
        : `it is not supported: ${declaration.refused}`,
    );
  }
  return text;
}

const wrong = (node: Node | null, what: string, at = ''): Mistake =>
  new Mistake(
    isAlias(node) ? 'aliases are not allowed here' : `it must be ${what}${node ? `, and is ${kindOf(node)}` : ''}`,
    at,
    node ?? undefined,
  );

const exampleOf = (node: Node | null): string =>
  isScalar(node) && typeof node.value === 'string' && /^[\w./:*-]+$/.test(node.value) ? node.value : 'a, b';

function kindOf(node: Node): string {
  if (isMap(node)) return 'a map';
  if (isSeq(node)) return 'a list';
  if (!isScalar(node) || node.value === null) return 'empty';
  return typeof node.value === 'string' ? 'a string' : `the ${typeof node.value} ${node.source ?? String(node.value)}`;
}

function checkReadableByOwnerOnly(file: string, keys: readonly string[], table: FlagTable): void {
  const secret = keys.find((key) => table[key]?.secret);
  if (secret === undefined || process.platform === 'win32') return;
  if ((fs.statSync(file).mode & 0o077) !== 0)
    throw new UsageError(`${file} has ${secret}, which is a secret, and others can read it; run "chmod 600 ${file}"`);
}
