// npm run build: bundles the program and the library into dist/k8ts.cjs, with dist/k8ts.js and dist/index.js to load it, the
// programs of threads, and the library's declarations.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { keepLinesOnly } from './line-source-map.mjs';
import { ensureInstalled, fail, root, runNode, toolPath } from './toolchain.mjs';

const dist = path.join(root, 'dist');

/** Native modules load their own binaries and cannot be bundled; the last two are optional accelerators of `ws`. */
export const EXTERNAL = ['lmdb', 'koffi', 'bufferutil', 'utf-8-validate'];

/** Bundled CommonJS packages call `require` for Node's own modules; an ES module has none. */
const BANNER =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** Programs of threads, which the others start from files beside them. */
const THREADS = {
  'front-thread': 'src/apiserver/transport/thread/front-thread.ts',
  'yaml-thread': 'src/apiserver/yaml-thread/yaml-thread.ts',
  'stage-thread': 'src/apiserver/stage-thread/stage-thread.ts',
  'layer-worker': 'src/container-runtime/images/layers/layer-worker.ts',
};

/** What the package exports, by name: `k8ts`, `k8ts/client`, `k8ts/testing`. */
const LIBRARY = { index: 'src/index.ts', client: 'src/client/index.ts', testing: 'src/testing.ts' };

/** The program and the library: what `npm run build` makes. @type {Record<string, string>} */
export const PACKAGE = { k8ts: 'src/cli/index.ts', ...LIBRARY };

/** The entry points that are loaded from one bundle; others become modules of their own. */
const BUNDLED = Object.keys(PACKAGE);

/** In the bundle, which is CommonJS: only such can be kept in compiled form (see load-bundle.mjs). */
const BUNDLE_BANNER = "const __bundleUrl = require('node:url').pathToFileURL(__filename).href;";

/**
 * @param {{ entryPoints?: Record<string, string>, outdir?: string, plugins?: import('esbuild').Plugin[] }} [options] other entry points and output, for tests
 * @returns {Promise<string[]>} the entry points that were built
 */
export async function build(options = {}) {
  const esbuild = await import('esbuild');
  const outdir = options.outdir ?? dist;
  const entryPoints = existing(options.entryPoints ?? PACKAGE);
  fs.rmSync(outdir, { recursive: true, force: true });
  const names = Object.keys(entryPoints);
  if (names.length === 0) return [];
  const isBundled = (/** @type {[string, string]} */ [name]) => BUNDLED.includes(name);
  const bundled = Object.fromEntries(Object.entries(entryPoints).filter(isBundled));
  const others = Object.fromEntries(Object.entries(entryPoints).filter((entry) => !isBundled(entry)));
  /** @satisfies {import('esbuild').BuildOptions} */
  const common = {
    absWorkingDir: root,
    bundle: true,
    platform: /** @type {const} */ ('node'),
    target: 'node20.19',
    external: EXTERNAL,
    minifySyntax: true,
    minifyWhitespace: true,
    keepNames: false,
    sourcemap: /** @type {const} */ ('linked'),
    sourcesContent: false,
    logLevel: /** @type {const} */ ('warning'),
    legalComments: /** @type {const} */ ('none'),
    ...(options.plugins ? { plugins: options.plugins } : {}),
  };
  /** What is reached by `require` is evaluated when it is called: `k8ts version` does not set up the API server. */
  const entries = Object.entries(bundled).map(
    ([name, file]) => `exports[${JSON.stringify(name)}] = () => require(${JSON.stringify(path.resolve(root, file))});`,
  );
  const bundle =
    entries.length > 0 &&
    esbuild.build({
      ...common,
      stdin: { contents: entries.join('\n'), resolveDir: root, sourcefile: 'bundle.js' },
      outfile: path.join(outdir, 'k8ts.cjs'),
      format: 'cjs',
      define: { 'import.meta.url': '__bundleUrl', 'import.meta.dirname': '__dirname' },
      banner: { js: BUNDLE_BANNER },
    });
  const modules = esbuild.build({
    ...common,
    entryPoints: { ...others, ...existing(THREADS) },
    outdir,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    banner: { js: BANNER },
  });
  const described = esbuild.build({
    ...common,
    entryPoints: bundled,
    outdir,
    format: 'esm',
    packages: 'external',
    plugins: [TWO_LEVELS],
    sourcemap: false,
    write: false,
    metafile: true,
  });
  const pages = bundled.k8ts === undefined ? undefined : buildConsole(path.join(outdir, 'console'));
  /** esbuild has printed what is wrong, and where; its stack trace would only hide that. */
  const [{ metafile }] = await Promise.all([described, bundle, modules, pages]).catch(() =>
    fail('The build failed; see the errors above.'),
  );
  if (entries.length > 0) {
    writeLoaders(outdir, metafile);
    await slimSourceMaps(outdir);
  }
  return names;
}

/**
 * The package has a limit of size, of which maps with columns would be a third.
 * @param {string} outdir
 */
async function slimSourceMaps(outdir) {
  for (const file of fs.readdirSync(outdir, { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.js.map') || file.endsWith('.cjs.map')) await keepLinesOnly(path.join(outdir, file));
}

/**
 * To know what an entry point exports, it and what it imports are enough: folders' index files export by name.
 * @type {import('esbuild').Plugin}
 */
const TWO_LEVELS = {
  name: 'two levels',
  setup({ initialOptions, onResolve }) {
    const entryPoints = new Set(
      Object.values(/** @type {Record<string, string>} */ (initialOptions.entryPoints)).map((file) =>
        path.resolve(root, file),
      ),
    );
    onResolve({ filter: /^\./ }, ({ importer, path: imported }) =>
      importer === '' || entryPoints.has(importer) ? undefined : { path: imported, external: true },
    );
  },
};

/** @param {Record<string, string>} entryPoints */
const existing = (entryPoints) =>
  Object.fromEntries(Object.entries(entryPoints).filter(([, file]) => fs.existsSync(path.resolve(root, file))));

/**
 * The modules by which the bundle's entry points are imported: they have the names of what is exported.
 * @param {string} outdir
 * @param {import('esbuild').Metafile} metafile
 */
function writeLoaders(outdir, metafile) {
  const hash = createHash('sha256')
    .update(fs.readFileSync(path.join(outdir, 'k8ts.cjs')))
    .digest('hex')
    .slice(0, 16);
  const loader = fs.readFileSync(path.join(root, 'scripts', 'load-bundle.mjs'), 'utf8');
  fs.writeFileSync(path.join(outdir, 'load-bundle.js'), loader.replace('__BUILD__', hash));
  for (const [file, { entryPoint, exports }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined) continue;
    const name = path.basename(file, '.js');
    const evaluated = `loadBundle()[${JSON.stringify(name)}]()`;
    const body = exports.length === 0 ? `${evaluated};` : `export const { ${exports.join(', ')} } = ${evaluated};`;
    fs.writeFileSync(path.join(outdir, `${name}.js`), `import { loadBundle } from './load-bundle.js';\n${body}\n`);
    // For `require`: the bundle that a module may have loaded already, so that there is one of everything.
    if (Object.hasOwn(LIBRARY, name))
      fs.writeFileSync(
        path.join(outdir, `${name}.cjs`),
        `const bundle = (globalThis[Symbol.for('k8ts ${hash}')] ??= require('./k8ts.cjs'));\nmodule.exports = bundle.${name}();\n`,
      );
  }
}

/**
 * The manual page, which npm installs with the package.
 * @param {string} [outdir]
 */
export function manual(outdir = dist) {
  const { stdout, status } = spawnSync(process.execPath, [path.join(outdir, 'k8ts.js'), 'man'], { encoding: 'utf8' });
  if (status !== 0) fail('The manual page could not be written.');
  fs.writeFileSync(path.join(outdir, 'k8ts.1'), stdout);
}

const WARM_UP_MS = 30_000;

/**
 * Starts a cluster and ends it, so that its compiled form is kept and the first start is as fast as later ones. When that
 * fails, the first start compiles.
 * @param {string} [outdir]
 * @returns {Promise<void>}
 */
export function warmUp(outdir = dist) {
  const flags = ['up', '--ephemeral', '--nodes', '0', '--simulated-nodes', '1', '--port', '0'];
  const child = spawn(process.execPath, [path.join(outdir, 'k8ts.js'), ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, K8TS_CODE_CACHE: 'make' },
    timeout: WARM_UP_MS,
  });
  child.stdout.on('data', (text) => {
    if (String(text).includes('ready in')) child.kill('SIGTERM');
  });
  return new Promise((resolve) => child.once('error', () => resolve()).once('exit', () => resolve()));
}

/**
 * Declarations of the library beside its bundle: one file an entry point and what they share, without those of packages
 * that are not part of the API, which not every compiler and project takes.
 * @param {string} [outdir]
 */
export async function declarations(outdir = dist) {
  if (!fs.existsSync(path.join(root, 'src', 'index.ts'))) return;
  const emitted = path.join(outdir, 'types');
  const code = await runNode([
    toolPath('typescript', 'tsc'),
    '--project',
    'tsconfig.declarations.json',
    '--outDir',
    emitted,
  ]);
  if (code !== 0) fail('The declarations of the library could not be written; see the errors above.');
  const [{ rolldown }, { dts }] = await Promise.all([import('rolldown'), import('rolldown-plugin-dts')]);
  const input = Object.fromEntries(
    Object.entries(LIBRARY).map(([name, file]) => [
      name,
      path.join(emitted, path.relative('src', file).replace(/\.ts$/, '.d.ts')),
    ]),
  );
  const bundle = await rolldown({
    input,
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  });
  const { output } = await bundle.write({ dir: outdir, format: 'esm', chunkFileNames: 'shared-types.d.ts' });
  await bundle.close();
  for (const { fileName } of output) {
    const file = path.join(outdir, fileName);
    const text = fs.readFileSync(file, 'utf8').replaceAll(/^\/\/#(?:end)?region.*\n/gm, '');
    fs.writeFileSync(file, text);
    // A package of ES modules needs others for those who call `require`.
    fs.writeFileSync(file.replace(/\.ts$/, '.cts'), text.replaceAll(/(from "\.\/[^"]*)\.js"/g, '$1.cjs"'));
  }
  fs.rmSync(emitted, { recursive: true });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  ensureInstalled();
  const built = await build();
  if (built.includes('k8ts')) manual();
  // What is compiled here is of no use to those who install the package.
  await Promise.all([
    declarations(),
    built.includes('k8ts') && process.env.npm_lifecycle_event !== 'prepack' && warmUp(),
  ]);
  if (built.length === 0) console.log('Nothing to bundle yet: neither src/cli/index.ts nor src/index.ts exists.');
  else console.log(`Built ${built.map((name) => `dist/${name}.js`).join(' and ')}.`);
}
