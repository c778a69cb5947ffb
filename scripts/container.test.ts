/** The Dockerfile and the devcontainer feature. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { K8TS_VERSION } from '../src/base/index.ts';
import { parseDockerfile } from '../src/container-runtime/build/parse-dockerfile.ts';
import { PROGRAMS } from './programs.mjs';

const root = path.join(import.meta.dirname, '..');

it('the Dockerfile can be built by our own tools, and installs what nodes need', () => {
  const instructions = parseDockerfile(fs.readFileSync(path.join(root, 'Dockerfile'), 'utf8'));
  const installing = instructions.find(({ text }) => text.includes('apt-get install'))!.text.split(/\s+/);
  const needed = Object.values(PROGRAMS).filter(({ command }) => command === 'start');
  for (const { packages } of needed) expect(installing).toEqual(expect.arrayContaining(packages.apt!.split(' ')));
});

it('the devcontainer feature installs the release, or says what it needs', () => {
  const folder = path.join(root, 'devcontainer', 'k8ts');
  const feature = JSON.parse(fs.readFileSync(path.join(folder, 'devcontainer-feature.json'), 'utf8')) as {
    version: string;
  };
  expect(feature.version).toBe(K8TS_VERSION);
  const empty = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-feature-'));
  const { status, stderr } = spawnSync('/bin/sh', [path.join(folder, 'install.sh')], {
    env: { PATH: empty },
    encoding: 'utf8',
  });
  fs.rmSync(empty, { recursive: true });
  expect(status).toBe(1);
  expect(stderr).toContain('k8ts needs Node');
});
