// Bundles the pages of the web console (src/console/pages) for browsers. The editor and the terminal are chunks of their own,
// which a browser loads when they are first needed.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './toolchain.mjs';

const PAGES = path.join(root, 'src', 'console', 'pages');

/**
 * @param {string} outdir
 * @returns {Promise<void>}
 */
export async function buildConsole(outdir) {
  if (!fs.existsSync(path.join(PAGES, 'main.tsx'))) return;
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: { main: path.join(PAGES, 'main.tsx') },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: path.join(PAGES, 'tsconfig.json'),
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
    legalComments: 'none',
  });
  fs.copyFileSync(path.join(PAGES, 'index.html'), path.join(outdir, 'index.html'));
}
