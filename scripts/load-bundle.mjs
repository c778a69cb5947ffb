// Loads the bundle that lies beside this file. Its compiled form is kept there too, made by a run that started a cluster: the
// next run need not compile 5 MB of JavaScript again, which is a third of the time that a control plane takes to start.
// A form that is not of this very bundle, Node and set of flags is not used; one that cannot be written is not written.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';

const BUNDLE = path.join(import.meta.dirname, 'k8ts.cjs');
/** Takes the place of the bundle's own hash when it is built. */
const BUILD = '__BUILD__';
/** Where a program that both imports and requires the package finds the one bundle. */
const LOADED = Symbol.for(`k8ts ${BUILD}`);
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];
/** Whoever ran for less than this has not compiled what a cluster needs. */
const WORTH_KEEPING_MS = 2000;
const WORTH_KEEPING_BYTES = 2.5 * 2 ** 20;

/** @returns {Record<string, () => Record<string, unknown>>} the entry points of the bundle: each is evaluated when it is called */
export function loadBundle() {
  const known = /** @type {Record<symbol, Record<string, () => Record<string, unknown>>>} */ (
    /** @type {unknown} */ (globalThis)
  );
  return (known[LOADED] ??= load());
}

function load() {
  // Only Node's own loader knows source maps.
  if (sourceMapsWanted()) return createRequire(BUNDLE)(BUNDLE);
  const cacheFile = path.join(import.meta.dirname, `k8ts-${BUILD}-${v8.cachedDataVersionTag()}.cache`);
  const cachedData = readIfThere(cacheFile);
  const source = WRAPPER.join(fs.readFileSync(BUNDLE, 'latin1'));
  const script = new vm.Script(source, {
    filename: BUNDLE,
    ...(cachedData ? { cachedData } : {}),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(script, cacheFile));
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(BUNDLE), module, BUNDLE, import.meta.dirname);
  return module.exports;
}

function sourceMapsWanted() {
  return [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].includes('--enable-source-maps');
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * @param {vm.Script} script
 * @param {string} cacheFile
 */
function keep(script, cacheFile) {
  if (performance.now() < WORTH_KEEPING_MS && process.env.K8TS_CODE_CACHE !== 'make') return;
  const temporary = `${cacheFile}.${process.pid}`;
  try {
    fs.accessSync(import.meta.dirname, fs.constants.W_OK);
    const compiled = script.createCachedData();
    if (compiled.length < WORTH_KEEPING_BYTES) return;
    fs.writeFileSync(temporary, compiled, { mode: 0o644 });
    fs.renameSync(temporary, cacheFile);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}
