// npm run conformance: runs Kubernetes' conformance tests, which somebody has built, against k8ts.
//   npm run conformance -- --tests DIR 0 1 2
//   npm run conformance -- --tests DIR test/e2e/apps/deployment.go:107
//   npm run conformance -- --tests DIR --labels 'sig-apps && !Conformance'
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './toolchain.mjs';

const USAGE = `npm run conformance -- [--tests DIR] [--kubeconfig FILE] [--out DIR] [--workers N] [--timeout 15m] [TIER… | FILE[:LINE]…]
npm run conformance -- [--tests DIR] … --labels FILTER [--skip REGEXP]     other e2e tests, by Ginkgo's labels

Tiers: 0 needs the API alone, 1 controllers, 2 scheduler and nodes (simulated ones suffice), 3 nodes that run containers.
Without any, tiers 0, 1 and 2 run. DIR (or K8TS_CONFORMANCE) is described in docs/conformance.md.`;

/** @typedef {Record<string, Record<string, number[]>>} Tiers by file, then by tier: the lines of the tests */
/** @typedef {{ file: string, labels: string, lines: number[], serial: boolean, count: number, seconds: number, isSlow: boolean }} Batch the tests of one run of e2e.test */
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

const CONFORMANCE = 'Conformance';
const SERIAL = 'Serial || Disruptive';

/** How many tests of a file run in one process, so that those of a large file run beside each other. */
const BATCH_SIZE = 8;

/** What a test takes whose duration is not in `slow.json`. */
const USUAL_SECONDS = 15;

/**
 * The tests that a dry run has selected by labels, in batches, the longest first; those that must run alone are apart,
 * and a slow one is a batch of its own.
 * @param {any[]} suites the report of the dry run
 * @param {string} labels
 * @param {{ selected?: Map<string, number[]>, slow?: Record<string, number> }} [options] the lines to run of each file, and seconds by file and line
 * @returns {Batch[]}
 */
export function labelBatches(suites, labels, { selected, slow = {} } = {}) {
  /** @type {Map<string, Batch[]>} */
  const byFile = new Map();
  const specs = suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State === 'passed')
    .toSorted((a, b) => a.LeafNodeLocation.LineNumber - b.LeafNodeLocation.LineNumber);
  for (const { ContainerHierarchyLabels, LeafNodeLabels, LeafNodeLocation } of specs) {
    const of = [...(ContainerHierarchyLabels ?? []).flat(), ...(LeafNodeLabels ?? [])];
    const serial = of.includes('Serial') || of.includes('Disruptive');
    const file = LeafNodeLocation.FileName.replace(/^.*?(?=test\/e2e\/)/, '');
    const batches = byFile.get(`${file} ${serial}`) ?? [];
    byFile.set(`${file} ${serial}`, batches);
    const { LineNumber: line } = LeafNodeLocation;
    if (selected !== undefined && !selected.get(file)?.includes(line)) continue;
    const seconds = slow[`${file}:${line}`];
    // Several tests may have the same line, by which a process selects them.
    const sameLine = batches.find(({ lines }) => lines.at(-1) === line);
    const open = batches.find(({ count, isSlow }) => !isSlow && count < BATCH_SIZE);
    let batch = sameLine ?? (seconds === undefined ? open : undefined);
    if (batch === undefined) {
      const filter = `(${labels}) && ${serial ? '' : '!'}(${SERIAL})`;
      batch = { file, serial, lines: [], count: 0, seconds: 0, isSlow: seconds !== undefined, labels: filter };
      batches.push(batch);
    }
    if (batch !== sameLine) batch.lines.push(line);
    batch.count++;
    batch.seconds += seconds ?? USUAL_SECONDS;
  }
  return [...byFile.values()].flat().toSorted((a, b) => b.seconds - a.seconds);
}

/** The archives of images in a directory of built tests: `images.tar`, then the others, which replace images of it. @param {string} directory */
export function imageArchives(directory) {
  const folder = path.join(directory, 'images');
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.tar') && name !== 'images.tar');
  return ['images.tar', ...names.toSorted()].map((name) => path.join(folder, name));
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      tests: { type: 'string', default: process.env['K8TS_CONFORMANCE'] },
      kubeconfig: { type: 'string' },
      out: { type: 'string', default: 'conformance-results' },
      workers: { type: 'string', default: '3' },
      timeout: { type: 'string', default: '15m' },
      labels: { type: 'string' },
      skip: { type: 'string', default: '' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (values.tests === undefined)
    throw new Error(
      'give the directory of the built tests: --tests DIR, or K8TS_CONFORMANCE=DIR (docs/conformance.md)',
    );
  const tests = path.resolve(values.tests);
  const tiers = JSON.parse(fs.readFileSync(path.join(root, 'test', 'conformance', 'tiers.json'), 'utf8'));
  const selected = selectTests(tiers, positionals.length > 0 ? positionals : ['0', '1', '2']);
  const withContainers = values.labels !== undefined || needsContainers(tiers, selected);
  const missing = missingParts(tests, withContainers && values.kubeconfig === undefined);
  if (missing.length > 0) throw new Error(`${tests} lacks\n  ${missing.join('\n  ')}\nSee docs/conformance.md.`);
  ensureInstalled();
  const out = path.resolve(values.out);
  fs.mkdirSync(out, { recursive: true });
  const { labels, skip, timeout } = values;
  const slow = JSON.parse(fs.readFileSync(path.join(root, 'test', 'conformance', 'slow.json'), 'utf8'));
  const filter = labels ?? CONFORMANCE;
  const listed = dryRun(tests, out, filter, skip);
  const batches = labelBatches(listed, filter, labels === undefined ? { selected, slow } : { slow });
  const cluster = values.kubeconfig
    ? { kubeconfig: path.resolve(values.kubeconfig), stop: async () => {} }
    : await startCluster(tests, withContainers);
  try {
    const settings = { tests, out, skip, timeout, kubeconfig: cluster.kubeconfig };
    const outcomes = await runAll(batches, settings, Number(values.workers));
    const lost = batches.reduce((sum, { count }) => sum + count, 0) - outcomes.length;
    process.exitCode = report(outcomes, lost, labels !== undefined) ? 0 : 1;
  } finally {
    await cluster.stop();
  }
}

/**
 * Prints the failures and the sum. Conformance tests that skip themselves have failed.
 * @param {readonly Outcome[]} outcomes
 * @param {number} lost
 * @param {boolean} maySkip
 */
function report(outcomes, lost, maySkip) {
  const skipped = maySkip ? outcomes.filter(({ state }) => state === 'skipped') : [];
  const failed = outcomes.filter((one) => one.state !== 'passed' && !skipped.includes(one));
  for (const { test, text, failure } of failed) console.log(`FAIL ${test} ${text} | ${failure}`);
  const passed = outcomes.length - failed.length - skipped.length;
  const rest = [
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ...(lost > 0 ? [`${lost} without a result`] : []),
  ];
  console.log([`${passed} passed`, `${failed.length} failed`, ...rest].join(', '));
  return failed.length === 0 && lost <= 0;
}

/** Ginkgo would take an empty expression as one that matches everything. @param {string} labels @param {string} skip */
const selection = (labels, skip) => [
  `--ginkgo.label-filter=${labels}`,
  ...(skip === '' ? [] : [`--ginkgo.skip=${skip}`]),
];

/** Ginkgo's report of the tests that it would run. @param {string} tests @param {string} out @param {string} labels @param {string} skip */
function dryRun(tests, out, labels, skip) {
  const report = path.join(out, 'dry-run.json');
  const args = ['--ginkgo.dry-run', ...selection(labels, skip)];
  const program = path.join(tests, 'bin', 'e2e.test');
  const { status, stderr } = spawnSync(program, [...args, `--ginkgo.json-report=${report}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`e2e.test does not list its tests: ${stderr}`);
  return JSON.parse(fs.readFileSync(report, 'utf8'));
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
    for (const archive of withContainers ? imageArchives(tests) : []) k8ts('image', 'load', archive);
  } catch (error) {
    await stop();
    throw error;
  }
  return { kubeconfig: path.join(directory, 'kubeconfig'), stop };
}

/** @typedef {{ tests: string, out: string, kubeconfig: string, timeout: string, skip: string }} Settings */

/** How many of a batch passed, the lines of those that failed, and how many skipped themselves. @param {readonly Outcome[]} outcomes @param {number} count */
export function summaryOf(outcomes, count) {
  const passed = outcomes.filter(({ state }) => state === 'passed').length;
  const skipped = outcomes.filter(({ state }) => state === 'skipped').length;
  const failed = outcomes.filter(({ state }) => state !== 'passed' && state !== 'skipped');
  return [
    `${passed}/${count}`,
    ...failed.map(({ test }) => test.split(':').at(-1)),
    ...(skipped > 0 ? [`(${skipped} skipped)`] : []),
  ].join(' ');
}

/** @param {readonly Batch[]} batches @param {Settings} settings @param {number} workers */
async function runAll(batches, settings, workers) {
  /** @type {Outcome[]} */
  const outcomes = [];
  const run = async (/** @type {Batch} */ batch) => {
    const ours = await runBatch(batch, settings);
    outcomes.push(...ours);
    const rows = ours.map((one) => [one.test, one.state, one.seconds, one.text, one.failure].join('\t'));
    fs.appendFileSync(path.join(settings.out, 'results.tsv'), rows.map((row) => `${row}\n`).join(''));
    console.log(`${batch.file} ${summaryOf(ours, batch.count)}`);
  };
  const isBeside = (/** @type {Batch} */ { serial, isSlow }) => isSlow && !serial;
  const parallel = batches.filter((batch) => !batch.serial && !isBeside(batch));
  const work = async () => {
    for (let next = parallel.shift(); next !== undefined; next = parallel.shift()) await run(next);
  };
  // Slow tests wait most of their time: they take no worker's place.
  await Promise.all([...batches.filter(isBeside).map(run), ...Array.from({ length: workers }, work)]);
  for (const batch of batches.filter(({ serial }) => serial)) await run(batch);
  return outcomes;
}

/** @param {Batch} batch @param {Settings} settings @returns {Promise<Outcome[]>} */
async function runBatch({ file, lines, labels, serial }, { tests, out, kubeconfig, timeout, skip }) {
  const name = file.replace(/^test\/e2e\/|\.go$/g, '').replaceAll('/', '-');
  const directory = path.join(out, `${name}-${lines[0]}${serial ? '-serial' : ''}`);
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
    `--ginkgo.focus-file=${file}:${lines.join(',')}`,
    ...selection(labels, skip),
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
