// Writes docs/api: what the library exports, with the comments of the source. It reads the declarations that the compiler
// emits; generators of references need a compiler with an API of its own, which TypeScript 7 does not have.
//
//   node scripts/api-reference.mjs [--check]
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import { root, runNode, toolPath } from './toolchain.mjs';

/**
 * @typedef {{ name: string, kind: Kind, comment: string, text: string }} Entry
 * @typedef {'Classes' | 'Functions' | 'Interfaces' | 'Types' | 'Constants'} Kind
 * @typedef {(file: string) => string | undefined} Read The text of a declaration file; undefined when there is none.
 */

/** @type {readonly Kind[]} */
const KINDS = ['Classes', 'Functions', 'Constants', 'Interfaces', 'Types'];

/** @type {ReadonlyMap<string, Kind>} */
const KIND_OF = new Map([
  ['ClassDeclaration', 'Classes'],
  ['FunctionDeclaration', 'Functions'],
  ['TSDeclareFunction', 'Functions'],
  ['VariableDeclaration', 'Constants'],
  ['TSInterfaceDeclaration', 'Interfaces'],
  ['TSTypeAliasDeclaration', 'Types'],
]);

/**
 * What a declaration file exports, by name, with re-exports followed to where they are declared.
 * @param {string} file
 * @param {Read} read
 * @returns {Map<string, Entry>}
 */
export function exportsOf(file, read) {
  const text = read(file);
  if (text === undefined) return new Map();
  const { program, comments } = parseSync(file, text);
  const target = (/** @type {string} */ source) =>
    path.posix.join(path.posix.dirname(file), source.replace(/(?:\.d)?\.[jt]s$/, '.d.ts'));
  /** @type {Map<string, Entry>} */
  const declared = new Map();
  /** @type {Map<string, Entry>} */
  const found = new Map();
  /** @type {(node: any, outer: any) => void} */
  const declare = (node, outer) => {
    const kind = KIND_OF.get(node.type);
    if (!kind) return;
    const before = comments.findLast(
      ({ type, value, end }) => type === 'Block' && value.startsWith('*') && end <= outer.start,
    );
    const isOwn = before && text.slice(before.end, outer.start).trim() === '';
    for (const name of node.declarations?.map((/** @type {any} */ one) => one.id.name) ?? [node.id.name]) {
      const overloads = declared.get(name);
      const entry = {
        name,
        kind,
        comment: overloads?.comment || (isOwn ? commentText(before.value) : ''),
        text: [...(overloads ? [overloads.text] : []), text.slice(outer.start, outer.end)].join('\n'),
      };
      declared.set(name, entry);
      if (outer !== node) found.set(name, entry);
    }
  };
  for (const node of program.body) {
    if (node.type === 'ExportAllDeclaration') {
      for (const [name, entry] of exportsOf(target(node.source.value), read)) found.set(name, entry);
    } else if (node.type === 'ExportNamedDeclaration' && node.source) {
      const there = exportsOf(target(node.source.value), read);
      for (const { local, exported } of /** @type {any[]} */ (node.specifiers)) {
        const entry = there.get(local.name);
        if (entry) found.set(exported.name, { ...entry, name: exported.name });
      }
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration) declare(node.declaration, node);
    else declare(node, node);
  }
  for (const node of program.body)
    if (node.type === 'ExportNamedDeclaration' && !node.source)
      for (const { local, exported } of /** @type {any[]} */ (node.specifiers)) {
        const entry = declared.get(local.name);
        if (entry) found.set(exported.name, { ...entry, name: exported.name });
      }
  return found;
}

/**
 * The comment at the beginning of a source file: declarations lose it with the imports below.
 * @param {string} text
 */
export function fileComment(text) {
  const [first] = parseSync('file.d.ts', text).comments;
  return first && text.slice(0, first.start).trim() === '' ? commentText(first.value) : '';
}

/** @param {string} value */
const commentText = (value) =>
  value
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();

/**
 * @param {{ title: string, comment: string, entries: readonly Entry[], note?: string }} page
 * @returns {string}
 */
export function pageText({ title, comment, entries, note }) {
  const parts = [`# ${title}`, comment, ...(note ? [note] : [])];
  for (const kind of KINDS) {
    const all = entries.filter((entry) => entry.kind === kind).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (all.length === 0) continue;
    parts.push(`## ${kind}`);
    for (const { name, comment: said, text } of all)
      parts.push(`### ${name}`, ...(said === '' ? [] : [said]), `\`\`\`typescript\n${declaration(text)}\n\`\`\``);
  }
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * Without what readers do not need: `export declare`, and private members.
 * @param {string} text
 */
const declaration = (text) =>
  text
    .replaceAll(/^(?:export )?(?:declare )?(?=\S)/gm, '')
    .replaceAll(/^\s*(?:#private|private .*);\n/gm, '')
    .trim();

/**
 * The files of docs/api, by name.
 * @param {Read} read declarations by their path below src
 * @returns {Map<string, string>}
 */
export function reference(read) {
  const [index, client, testing] = ['index.d.ts', 'client/index.d.ts', 'testing.d.ts'].map((file) => ({
    comment: fileComment(fs.readFileSync(path.join(root, 'src', file.replace(/\.d\.ts$/, '.ts')), 'utf8')),
    exports: exportsOf(file, read),
  }));
  if (!index || !client || !testing) throw new Error('an entry point is missing');
  const own = [...index.exports.values()].filter(({ name }) => !client.exports.has(name));
  const links = [...testing.exports.keys()].toSorted().map((name) => `[${name}](k8ts.md#${name.toLowerCase()})`);
  return new Map([
    [
      'README.md',
      '# API reference\n\nWhat the package exports, generated from the source by `node scripts/api-reference.mjs`:\n[k8ts](k8ts.md), [k8ts/client](client.md), [k8ts/testing](testing.md).\n',
    ],
    [
      'k8ts.md',
      pageText({
        title: 'k8ts',
        comment: index.comment,
        note: 'All of [k8ts/client](client.md) is exported, too.',
        entries: own,
      }),
    ],
    ['client.md', pageText({ title: 'k8ts/client', comment: client.comment, entries: [...client.exports.values()] })],
    ['testing.md', `# k8ts/testing\n\n${testing.comment}\n\nIt exports ${links.join(', ')}.\n`],
  ]);
}

/** Emits the declarations and makes the reference of them. */
export async function currentReference() {
  const emitted = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-api-reference-'));
  try {
    const tsc = toolPath('typescript', 'tsc');
    const code = await runNode([tsc, '--project', 'tsconfig.declarations.json', '--outDir', emitted]);
    if (code !== 0) throw new Error('the declarations could not be written; see the errors above');
    return reference((file) => {
      const place = path.join(emitted, file);
      return fs.existsSync(place) ? fs.readFileSync(place, 'utf8') : undefined;
    });
  } finally {
    fs.rmSync(emitted, { recursive: true, force: true });
  }
}

/**
 * The files of docs/api that are not as the source says.
 * @param {ReadonlyMap<string, string>} files
 */
export function staleFiles(files) {
  const directory = path.join(root, 'docs', 'api');
  const there = fs.existsSync(directory) ? fs.readdirSync(directory) : [];
  const differs = (/** @type {string} */ name) =>
    !there.includes(name) || fs.readFileSync(path.join(directory, name), 'utf8') !== files.get(name);
  return [...there.filter((name) => !files.has(name)), ...[...files.keys()].filter(differs)];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = await currentReference();
  const stale = staleFiles(files);
  if (process.argv.includes('--check')) {
    for (const name of stale) console.log(`docs/api/${name} is not current: node scripts/api-reference.mjs writes it`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    const directory = path.join(root, 'docs', 'api');
    fs.rmSync(directory, { recursive: true, force: true });
    fs.mkdirSync(directory);
    for (const [name, text] of files) fs.writeFileSync(path.join(directory, name), text);
    console.log(`Wrote ${files.size} files to docs/api.`);
  }
}
