// npm run conformance: runs Kubernetes' conformance tests, which somebody has built, against k8ts.
//   npm run conformance -- --tests DIR 0 1 2
//   npm run conformance -- --tests DIR test/e2e/apps/deployment.go:107
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './toolchain.mjs';

const USAGE = `npm run conformance -- [--tests DIR] [--kubeconfig FILE] [--out DIR] [--workers N] [--timeout 15m] [TIER… | FILE[:LINE]…]

Tiers: 0 needs the API alone, 1 controllers, 2 scheduler and nodes (simulated ones suffice), 3 nodes that run containers.
Without any, tiers 0, 1 and 2 run. DIR (or K8TS_CONFORMANCE) is described in docs/conformance.md.`;

/** @typedef {Record<string, Record<string, number[]>>} Tiers by file, then by tier: the lines of the tests */
/** @typedef {{ test: string, state: string, seconds: number, text: string, failure: string }} Outcome */

/**
 * The tests to run: the lines of each file.
 * @param {Tiers} tiers
 * @param {readonly string[]} wanted tiers, or files with or without a line
 * @returns {Map<string, number[]>}
 */
export function selectTests(tiers, wanted) {
  const selected = new Map();
  for (const [file, byTier] of Object.entries(tiers)) {
    const lines = Object.entries(byTier).flatMap(([tier, all]) =>
      all.filter((line) => wanted.includes(tier) || wanted.includes(file) || wanted.includes(`${file}:${line}`)),
    );
    if (lines.length > 0)
      selected.set(
        file,
        lines.toSorted((a, b) => a - b),
      );
  }
  for (const name of wanted) {
    const known = /^[0-3]$/.test(name) || [...selected].some(([file, lines]) => matches(name, file, lines));
    if (!known) throw new Error(`there is no conformance test ${name}`);
  }
  return selected;
}

/** @param {string} name @param {string} file @param {readonly number[]} lines */
const matches = (name, file, lines) => name === file || lines.some((line) => name === `${file}:${line}`);

/** Whether some of the tests need containers. @param {Tiers} tiers @param {Map<string, number[]>} selected */
export const needsContainers = (tiers, selected) =>
  [...selected].some(([file, lines]) => tiers[file]?.['3']?.some((line) => lines.includes(line)));

/**
 * What of a directory of built tests is missing, each with what it is for.
 * @param {string} directory
 * @param {boolean} withContainers
 */
export function missingParts(directory, withContainers) {
  const parts = [
    ['bin/e2e.test', 'the tests, built from the source of Kubernetes'],
    ['bin/kubectl', 'kubectl of the same version'],
    ['k8s/test/e2e', 'the source tree of the same version'],
    ...(withContainers ? [['images/images.tar', "the tests' images, as one docker archive"]] : []),
  ];
  return parts
    .filter(([name = '']) => !fs.existsSync(path.join(directory, name)))
    .map(([name, why]) => `${name}: ${why}`);
}

/**
 * The outcomes in a report of Ginkgo.
 * @param {string} file
 * @param {any[]} suites
 * @returns {Outcome[]}
 */
export function outcomesOf(file, suites) {
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(
      ({ LeafNodeType, State, Failure }) =>
        LeafNodeType === 'It' && (Failure || !['skipped', 'pending'].includes(State)),
    )
    .map(({ LeafNodeLocation, State, RunTime, ContainerHierarchyTexts, LeafNodeText, Failure }) => ({
      test: `${file}:${LeafNodeLocation.LineNumber}`,
      state: State,
      seconds: Math.round(RunTime / 1e8) / 10,
      text: [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' '),
      failure: (Failure?.Message ?? '').split(/\s+/).join(' ').slice(0, 400),
    }));
}

/** Tests that must not run beside others. @param {string} source */
const isSerial = (source) => /WithSerial\(\)|framework\.WithDisruptive\(\)|\[Serial\]/.test(source);

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tests: { type: 'string', default: process.env['K8TS_CONFORMANCE'] },
      kubeconfig: { type: 'string' },
      out: { type: 'string', default: 'conformance-results' },
      workers: { type: 'string', default: '3' },
      timeout: { type: 'string', default: '15m' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const tiers = JSON.parse(fs.readFileSync(path.join(root, 'test', 'conformance', 'tiers.json'), 'utf8'));
  const selected = selectTests(tiers, positionals.length > 0 ? positionals : ['0', '1', '2']);
  const withContainers = needsContainers(tiers, selected);
  if (values.tests === undefined)
    throw new Error(
      'give the directory of the built tests: --tests DIR, or K8TS_CONFORMANCE=DIR (docs/conformance.md)',
    );
  const tests = path.resolve(values.tests);
  const missing = missingParts(tests, withContainers && values.kubeconfig === undefined);
  if (missing.length > 0) throw new Error(`${tests} lacks\n  ${missing.join('\n  ')}\nSee docs/conformance.md.`);
  ensureInstalled();
  const out = path.resolve(values.out);
  fs.mkdirSync(out, { recursive: true });
  const cluster = values.kubeconfig
    ? { kubeconfig: path.resolve(values.kubeconfig), stop: async () => {} }
    : await startCluster(tests, withContainers);
  try {
    const outcomes = await runAll(
      selected,
      { tests, out, kubeconfig: cluster.kubeconfig, timeout: values.timeout },
      Number(values.workers),
    );
    const failed = outcomes.filter(({ state }) => state !== 'passed');
    for (const { test, text, failure } of failed) console.log(`FAIL ${test} ${text} | ${failure}`);
    const lost = [...selected.values()].flat().length - outcomes.length;
    console.log(
      `${outcomes.length - failed.length} passed, ${failed.length} failed${lost > 0 ? `, ${lost} without a result` : ''}`,
    );
    process.exitCode = failed.length > 0 || lost > 0 ? 1 : 0;
  } finally {
    await cluster.stop();
  }
}

/** A cluster of its own: two nodes, simulated ones unless tests need containers. @param {string} tests @param {boolean} withContainers */
async function startCluster(tests, withContainers) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-conformance-'));
  const program = path.join(root, 'bin', 'k8ts');
  const nodes = withContainers ? ['--nodes', '2'] : ['--nodes', '0', '--simulated-nodes', '2'];
  const k8ts = (/** @type {string[]} */ ...args) => {
    const { status } = spawnSync(process.execPath, [program, ...args, '--data-dir', directory], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`k8ts ${args[0]} failed`);
  };
  k8ts('up', '--ephemeral', '--port', '0', ...nodes, '--detach');
  const stop = async () => {
    k8ts('down');
    fs.rmSync(directory, { recursive: true, force: true });
  };
  try {
    if (withContainers) k8ts('image', 'load', path.join(tests, 'images', 'images.tar'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubeconfig: path.join(directory, 'kubeconfig'), stop };
}

/** @typedef {{ tests: string, out: string, kubeconfig: string, timeout: string }} Settings */

/** @param {Map<string, number[]>} selected @param {Settings} settings @param {number} workers */
async function runAll(selected, settings, workers) {
  /** @type {Outcome[]} */
  const outcomes = [];
  const run = async (/** @type {[string, number[]]} */ [file, lines]) => {
    const ours = await runFile(file, lines, settings);
    outcomes.push(...ours);
    const rows = ours.map((one) => [one.test, one.state, one.seconds, one.text, one.failure].join('\t'));
    fs.appendFileSync(path.join(settings.out, 'results.tsv'), rows.map((row) => `${row}\n`).join(''));
    const failed = ours.filter(({ state }) => state !== 'passed').map(({ test }) => test.split(':').at(-1));
    console.log(`${file} ${ours.length - failed.length}/${lines.length} ${failed.join(' ')}`.trim());
  };
  /** @type {[string, number[]][]} */
  const serial = [];
  /** @type {[string, number[]][]} */
  const parallel = [];
  for (const entry of [...selected].toSorted((a, b) => b[1].length - a[1].length))
    (isSerial(fs.readFileSync(path.join(settings.tests, 'k8s', entry[0]), 'utf8')) ? serial : parallel).push(entry);
  const work = async () => {
    for (let next = parallel.shift(); next !== undefined; next = parallel.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: workers }, work));
  for (const entry of serial) await run(entry);
  return outcomes;
}

/** @param {string} file @param {number[]} lines @param {Settings} settings @returns {Promise<Outcome[]>} */
async function runFile(file, lines, { tests, out, kubeconfig, timeout }) {
  const directory = path.join(out, file.replace(/^test\/e2e\/|\.go$/g, '').replaceAll('/', '-'));
  fs.mkdirSync(directory, { recursive: true });
  const report = path.join(directory, 'ginkgo.json');
  fs.rmSync(report, { force: true });
  const log = fs.openSync(path.join(directory, 'log'), 'w');
  const args = [
    '--provider=skeleton',
    `--kubeconfig=${kubeconfig}`,
    `--kubectl-path=${path.join(tests, 'bin', 'kubectl')}`,
    `--repo-root=${path.join(tests, 'k8s')}`,
    ...['--num-nodes=2', '--allowed-not-ready-nodes=0', '--node-os-distro=debian'],
    ...[
      '--disable-log-dump',
      '--dump-logs-on-failure=false',
      `--report-dir=${directory}`,
      `--e2e-output-dir=${directory}`,
    ],
    ...[`--ginkgo.timeout=${timeout}`, `--ginkgo.json-report=${report}`, '--ginkgo.no-color', '--ginkgo.v'],
    ...[`--ginkgo.focus-file=${file}:${lines.join(',')}`, '--ginkgo.focus=\\[Conformance\\]'],
  ];
  const child = spawn(path.join(tests, 'bin', 'e2e.test'), args, { cwd: directory, stdio: ['ignore', log, log] });
  await new Promise((resolve, reject) => child.on('error', reject).on('exit', resolve));
  fs.closeSync(log);
  if (!fs.existsSync(report)) return [];
  return outcomesOf(file, JSON.parse(fs.readFileSync(report, 'utf8')));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((/** @type {Error} */ error) => {
    console.error(`conformance: ${error.message}`);
    process.exit(1);
  });
}
