// npm run build: bundles the program to dist/k8ts.js and the library to dist/index.js, with its declarations.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { ensureInstalled, fail, root, runNode, toolPath } from './toolchain.mjs';

const dist = path.join(root, 'dist');

/** Native modules load their own binaries and cannot be bundled; the last two are optional accelerators of `ws`. */
const EXTERNAL = ['lmdb', 'koffi', 'bufferutil', 'utf-8-validate'];

/** Bundled CommonJS packages call `require` for Node's own modules; an ES module has none. */
const BANNER = "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** Programs of threads, which the others start from files beside them. */
const THREADS = { 'front-thread': 'src/apiserver/transport/thread/front-thread.ts' };

/**
 * @param {{ entryPoints?: Record<string, string>, outdir?: string }} [options] other entry points and output, for tests
 * @returns {Promise<string[]>} the entry points that were built
 */
export async function build(options = {}) {
  const { build: bundle } = await import('esbuild');
  const outdir = options.outdir ?? dist;
  const all = options.entryPoints ?? { k8ts: 'src/cli/index.ts', index: 'src/index.ts' };
  const entryPoints = Object.fromEntries(Object.entries({ ...all, ...THREADS }).filter(([, file]) => fs.existsSync(path.resolve(root, file))));
  fs.rmSync(outdir, { recursive: true, force: true });
  if (Object.keys(entryPoints).length === 0) return [];
  /** esbuild has printed what is wrong, and where; its stack trace would only hide that. */
  const failed = () => fail('The build failed; see the errors above.');
  await bundle({
    entryPoints,
    outdir,
    absWorkingDir: root,
    bundle: true,
    /** A command loads only its own chunk: `k8ts version` does not parse the API server. */
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: EXTERNAL,
    banner: { js: BANNER },
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: false,
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    legalComments: 'none',
  }).catch(failed);
  return Object.keys(entryPoints);
}

/** Declarations of the library beside its bundle. */
async function declarations() {
  if (!fs.existsSync(path.join(root, 'src', 'index.ts'))) return;
  const code = await runNode([toolPath('typescript', 'tsc'), '--project', 'tsconfig.declarations.json']);
  if (code !== 0) fail('The declarations of the library could not be written; see the errors above.');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  const built = await build();
  await declarations();
  if (built.length === 0) console.log('Nothing to bundle yet: neither src/cli/index.ts nor src/index.ts exists.');
  else console.log(`Built ${built.map((name) => `dist/${name}.js`).join(' and ')}.`);
}
