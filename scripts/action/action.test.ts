/** The GitHub Action, called as a runner calls it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtProgram } from '../../test/k8ts-process.ts';

const root = path.join(import.meta.dirname, '..', '..');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-action-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: object;
  readonly runs: { readonly using: string; readonly main: string; readonly post: string };
}
const action = parse(fs.readFileSync(path.join(root, 'action.yml'), 'utf8')) as Action;

const values = (file: string): Record<string, string> =>
  Object.fromEntries(
    fs
      .readFileSync(path.join(scratch, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

it('starts a cluster, names its kubeconfig, stops it, and uploads log and traces if the job failed', async () => {
  const inputs = Object.entries(action.inputs).map(([name, { default: value }]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ]);
  const environment = {
    ...process.env,
    ...(Object.fromEntries(inputs) as Record<string, string>),
    INPUT_PROGRAM: await builtProgram(),
    INPUT_ARGUMENTS: '--addons none',
    RUNNER_TEMP: scratch,
    GITHUB_ENV: path.join(scratch, 'env'),
    GITHUB_OUTPUT: path.join(scratch, 'output'),
    GITHUB_STATE: path.join(scratch, 'state'),
  };
  const run = (file: string, more: object = {}): { code: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(root, file)], {
      env: { ...environment, ...more },
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { code: status, output: `${stdout}${stderr}` };
  };
  const started = run(action.runs.main);
  expect(started.code, started.output).toBe(0);
  const { KUBECONFIG } = values('env');
  expect(fs.readFileSync(KUBECONFIG!, 'utf8')).toContain('current-context: kubernetes-admin@k8ts-cluster');
  expect(Object.keys(values('output'))).toEqual(Object.keys(action.outputs));
  const state = values('state');
  const pid = JSON.parse(fs.readFileSync(path.join(state['directory']!, 'k8ts.pid'), 'utf8')) as { pid: number };
  fakeUploader();
  const finish = (status: string) =>
    run(action.runs.post, {
      ...Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value])),
      'INPUT_JOB-STATUS': status,
      GITHUB_JOB: 'e2e',
    });
  const failed = finish('failure');
  expect(failed.output).toContain(`stopped the cluster in ${state['directory']} (process ${pid.pid})`);
  expect(failed.output).toContain('::group::k8ts.log');
  expect(failed.output).toMatch(/^the artifact k8ts-e2e-[0-9a-f]{6} has k8ts\.log, traces\.txt, traces\.otlp\.json$/m);
  const { name, files } = JSON.parse(fs.readFileSync(path.join(scratch, 'uploaded.json'), 'utf8')) as Uploaded;
  expect(failed.output).toContain(`the artifact ${name} has`);
  expect(files['k8ts.log']).toContain('ready in');
  expect(files['traces.txt']).toMatch(/^create namespaces .*\n[^]*\d+ writes?, /m);
  expect(JSON.parse(files['traces.otlp.json']!)).toHaveProperty('resourceSpans.0.scopeSpans.0.spans.1.traceId');

  const passed = finish('success');
  expect(passed.code).toBe(0);
  expect(passed.output).not.toMatch(/k8ts\.log|artifact/);
}, 120_000);

interface Uploaded {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

/** In the place of GitHub's client: it keeps what it is given. */
function fakeUploader(): void {
  const folder = path.join(scratch, 'k8ts', 'uploader', 'node_modules', '@actions', 'artifact');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(
    path.join(folder, 'index.js'),
    `const [fs, path] = [require('fs'), require('path')];
exports.DefaultArtifactClient = class {
  async uploadArtifact(name, files, root) {
    const contents = files.map((file) => [path.relative(root, file), fs.readFileSync(file, 'utf8')]);
    fs.writeFileSync(${JSON.stringify(path.join(scratch, 'uploaded.json'))}, JSON.stringify({ name, files: Object.fromEntries(contents) }));
  }
};`,
  );
}

it('says why it did not start', () => {
  const { status, stdout } = spawnSync(process.execPath, [path.join(root, action.runs.main)], {
    env: { ...process.env, INPUT_PROGRAM: '/does/not/exist', RUNNER_TEMP: scratch },
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stdout).toMatch(/^::error::.*\/does\/not\/exist up/m);
});
