/**
 * kubectl of several releases: the same story of commands on both control planes ends with the same exit codes and the same
 * output, but for what differs between two clusters.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, findPrograms, requires } from '../requires.ts';
import { CONTROL_PLANE, ControlPlane } from './control-plane.ts';
import { STORY, type Step } from './kubectl-story.ts';
import { exists } from './workloads.ts';

/** The oldest that a distribution still has, one that was current for long, and that of the API's version. */
const RELEASES = ['1.20', '1.32', '1.36', ...(everything ? ['1.27', '1.28', '1.29', '1.30', '1.31', '1.33'] : [])];
const COMMAND_LIMIT_MS = 90_000;

/** Programs named `kubectl.1.32`, or `kubectl` of that release. */
function findKubectl(release: string): string | undefined {
  const isOfRelease = (program: string): boolean => {
    try {
      const text = execFileSync(program, ['version', '--client', '-o', 'json'], { encoding: 'utf8', stdio: 'pipe' });
      return text.includes(`"gitVersion": "v${release}.`) && !text.includes('dispatcher');
    } catch {
      return false;
    }
  };
  return findPrograms(`kubectl.${release}`)[0] ?? findPrograms('kubectl').find(isOfRelease);
}

const missing = requires(...CONTROL_PLANE);
const title = `kubectl of several releases${missing ? ` (skipped: ${missing})` : ''}`;

describe.skipIf(missing)(title, { timeout: 600_000 }, () => {
  let planes: readonly ControlPlane[] = [];
  let directory = '';

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'k8ts-kubectls-'));
    planes = [await ControlPlane.start('upstream', 'upstream'), await ControlPlane.start('upstream', 'k8ts')];
    for (const [i, side] of (['upstream', 'k8ts'] as const).entries()) {
      await planes[i]!.run('kube-controller-manager', side);
      await planes[i]!.run('kube-scheduler', side);
      await planes[i]!.addNodes(2);
    }
  }, 240_000);
  afterAll(async () => {
    for (const plane of planes) await plane.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const run = (program: string, plane: ControlPlane, namespace: string, { args, edit }: Step): Promise<Outcome> =>
    new Promise((resolve) => {
      const file = join(directory, 'input.yaml');
      const list = args.split(' ').map((word) => (word === 'FILE' ? file : word.replaceAll('~', ' ')));
      const child = execFile(
        program,
        [`--kubeconfig=${plane.kubeconfig}`, `--namespace=${namespace}`, ...list],
        {
          timeout: COMMAND_LIMIT_MS,
          env: { PATH: process.env.PATH, HOME: directory, TERM: 'dumb', ...(edit ? { KUBE_EDITOR: edit } : {}) },
        },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
      child.stdin?.on('error', () => {});
      child.stdin?.end();
    });

  const programs = RELEASES.map((release) => ({ release, program: missing ? undefined : findKubectl(release) }));
  const named = programs.map(({ release, program }) => ({
    name: `kubectl ${release}${program ? '' : ' (skipped: it is not installed)'}`,
    release,
    program,
  }));
  for (const { name, release, program = '' } of named)
    it.skipIf(program === '')(name, async () => {
      const namespace = `story-${release.replace('.', '-')}`;
      for (const plane of planes) {
        await plane.client.resource('v1/namespaces').create({ metadata: { name: namespace } });
        const account = (): Promise<boolean> => exists(plane.client, 'v1/serviceaccounts', 'default', namespace);
        await until('the default ServiceAccount exists', account);
      }
      const differences: string[] = [];
      for (const step of STORY) {
        if (step.since !== undefined && Number(release.slice(2)) < step.since) continue;
        writeFileSync(join(directory, 'input.yaml'), step.input ?? '');
        const [upstream, ours] = await Promise.all(planes.map((plane) => run(program, plane, namespace, step)));
        if (step.code !== undefined && upstream!.code !== step.code)
          differences.push(`kubectl ${step.args}: upstream ended with ${upstream!.code}: ${upstream!.stderr}`);
        const texts = [upstream!, ours!].map((outcome) => comparable(outcome, step));
        if (texts[0] !== texts[1]) differences.push(`kubectl ${step.args}`, ...differentLines(texts[0]!, texts[1]!));
      }
      expect(differences.join('\n')).toBe('');
    });
});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What differs between two clusters that are otherwise the same, longest first. */
const VARIABLE: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \S+/g, 'TIME'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'ADDRESS'],
  [/127\.0\.0\.1:\d+/g, 'SERVER'],
  [/\bsim-\d+\b|\b198\.18\.0\.\d+\b/g, 'NODE'],
  [/simulated:\/\/[0-9a-f]{64}/g, 'CONTAINER'],
  [/kubectl-edit-\w+/g, 'EDITED'],
  [/(resourceVersion"?: ")\d+"/g, '$1VERSION"'],
  [/\b3[0-2]\d{3}\b/g, 'NODEPORT'],
  [/\b(?:\d+d)?(?:\d+h)?(?:\d+m)?\d+s\b|<invalid>|<unknown>/g, 'AGE'],
  // The random end of a generated name.
  [/(-[bcdfghjklmnpqrstvwxz2456789]{5,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-RANDOM'],
];

function comparable({ code, stdout, stderr }: Outcome, { sorted, only }: Step): string {
  let text = `exit code ${code}\n${stdout}${stderr}`;
  for (const [pattern, name] of VARIABLE) text = text.replace(pattern, name);
  let lines = text
    .split('\n')
    // Columns are as wide as the longest value in them.
    .map((line) => line.replace(/ {2,}/g, '  ').trimEnd())
    .filter((line) => !line.startsWith('Warning: version difference'))
    // k8ts' own API.
    .filter((line) => !line.includes('glass.k8ts.dev/'));
  if (only) lines = lines.filter((line) => only.test(line));
  return (sorted ? lines.sort() : lines).join('\n');
}

/** Where only the order differs, all lines. */
function differentLines(upstream: string, ours: string): string[] {
  const [theirLines, ourLines] = [upstream.split('\n'), ours.split('\n')];
  const lines = [
    ...theirLines.filter((line) => !ourLines.includes(line)).map((line) => `  upstream: ${line}`),
    ...ourLines.filter((line) => !theirLines.includes(line)).map((line) => `  k8ts: ${line}`),
  ];
  return lines.length > 0 ? lines : [`--- upstream\n${upstream}`, `--- k8ts\n${ours}`];
}
