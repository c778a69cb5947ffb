// Finds exports that nobody imports: what only its own file uses is not exported, what nobody uses is not there.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';
import { root } from './toolchain.mjs';

/** The library and the program: what they export is for others. */
const ENTRY_POINTS = new Set(['src/index.ts', 'src/testing.ts', 'src/cli/index.ts']);

/** Files whose exports are found by something other than an import, with the reason. */
const LOADED_BY_NAME = /** @type {const} */ ([
  [/\/generated\/|\.generated\.ts$/, 'generated whole'],
  [/^src\/cli\//, 'commands are loaded by their name'],
  [/^bench\//, 'bench modules are loaded by their name'],
]);

/**
 * @typedef {{ names: Map<string, number>, from: { target: string, imported: string, exported: string }[], imports: { target: string, name: string }[] }} Module
 */

/**
 * The exports that no other file imports, as `file:line name`.
 * @param {ReadonlyMap<string, string>} files path → text, of everything that may import
 * @returns {string[]}
 */
export function deadExports(files) {
  const modules = new Map([...files].map(([file, text]) => [file, parseModule(file, text)]));
  /** @type {Set<string>} */
  const used = new Set();
  /** @type {(target: string, name: string) => void} */
  const use = (target, name) => {
    const key = `${target} ${name}`;
    if (used.has(key)) return;
    used.add(key);
    const module = modules.get(target);
    if (!module) return;
    if (name === '*') {
      for (const exported of module.names.keys()) use(target, exported);
      for (const { exported } of module.from) if (exported !== '*') use(target, exported);
    }
    for (const { target: next, imported, exported } of module.from) {
      if (exported === '*') use(next, name);
      else if (exported === name) use(next, imported);
    }
  };
  for (const [file, { imports }] of modules) {
    for (const { target, name } of imports) use(target, name);
    if (ENTRY_POINTS.has(file)) use(file, '*');
  }
  return [...modules].flatMap(([file, { names, from }]) => {
    if (!file.startsWith('src/') || file.endsWith('.test.ts') || ENTRY_POINTS.has(file)) return [];
    if (LOADED_BY_NAME.some(([pattern]) => pattern.test(file))) return [];
    const reexported = from.filter(({ exported }) => exported !== '*').map(({ exported }) => exported);
    return [...names.keys(), ...reexported]
      .filter((name) => !used.has(`${file} ${name}`))
      .map((name) => `${file}:${names.get(name) ?? 1} ${name}`);
  });
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Module}
 */
function parseModule(file, text) {
  const { module } = parseSync(file, text);
  /** @type {(specifier: string) => string} */
  const resolve = (specifier) => path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
  /** @type {Module} */
  const found = { names: new Map(), from: [], imports: [] };
  for (const { moduleRequest, entries } of module.staticImports) {
    if (!moduleRequest.value.startsWith('.')) continue;
    const target = resolve(moduleRequest.value);
    for (const { importName } of entries) {
      const name =
        importName.kind === 'Name' ? (importName.name ?? '*') : importName.kind === 'Default' ? 'default' : '*';
      found.imports.push({ target, name });
    }
  }
  // A dynamic import may use anything, and so may one in a type.
  for (const [, specifier = ''] of text.matchAll(/\bimport\(\s*['"](\.[^'"]+)['"]/g)) {
    found.imports.push({ target: resolve(specifier), name: '*' });
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, start } of entries) {
      const exported =
        exportName.kind === 'Name' ? (exportName.name ?? '*') : exportName.kind === 'Default' ? 'default' : '*';
      if (!moduleRequest) {
        found.names.set(exported, text.slice(0, start).split('\n').length);
      } else if (moduleRequest.value.startsWith('.')) {
        const imported = importName.kind === 'Name' ? (importName.name ?? '*') : '*';
        found.from.push({ target: resolve(moduleRequest.value), imported, exported });
      }
    }
  }
  return found;
}

/** @returns {Map<string, string>} */
export function sources() {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const folder of ['src', 'test', 'bench', 'scripts']) {
    for (const entry of fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const file = `${folder}/${entry.replaceAll(path.sep, '/')}`;
      if (/\.(?:m?ts|tsx|mjs)$/.test(file)) files.set(file, fs.readFileSync(path.join(root, file), 'utf8'));
    }
  }
  return files;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const findings = deadExports(sources());
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) {
    console.error(`${findings.length} exports that nobody imports`);
    process.exitCode = 1;
  }
}
