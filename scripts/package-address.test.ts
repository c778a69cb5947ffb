import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { unpackArchive } from '../test/unpack-archive.ts';
import { addressFields, setAddress } from './package-address.mjs';

const of = (web: string) => ({
  repository: { type: 'git', url: `git+${web}.git` },
  homepage: `${web}#readme`,
  bugs: { url: `${web}/issues` },
});

it.each([
  ['https', 'https://git.example.com/team/k8ts.git', 'https://git.example.com/team/k8ts'],
  ['https with a token', 'https://robot:secret@git.example.com/team/k8ts', 'https://git.example.com/team/k8ts'],
  ['ssh', 'ssh://git@git.example.com:2222/team/k8ts.git', 'https://git.example.com/team/k8ts'],
  ['the form of scp', 'git@git.example.com:team/group/k8ts.git', 'https://git.example.com/team/group/k8ts'],
])('the address of a package follows from its remote: %s', (_, remote, web) => {
  expect(addressFields(remote)).toEqual(of(web));
});

it.each([undefined, '', '/srv/k8ts', 'C:\\k8ts', 'file:///srv/k8ts', '../k8ts'])('%j is no address', (remote) => {
  expect(addressFields(remote)).toBeUndefined();
});

it('a packed package names its repository, and package.json is as before afterwards', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-address-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
  vi.stubEnv('GITHUB_SERVER_URL', 'https://git.example.com');
  vi.stubEnv('GITHUB_REPOSITORY', 'team/k8ts');
  onTestFinished(() => void vi.unstubAllEnvs());
  const file = path.join(directory, 'package.json');
  const text = '{ "name": "k8ts", "version": "0.0.1", "license": "Apache-2.0" }';
  fs.writeFileSync(file, text);
  setAddress(directory, false);
  const { status, stderr } = spawnSync('npm', ['pack', '--ignore-scripts'], { cwd: directory, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  setAddress(directory, true);
  expect(fs.readFileSync(file, 'utf8')).toBe(text);
  await unpackArchive(path.join(directory, 'k8ts-0.0.1.tgz'), directory);
  const packed: unknown = JSON.parse(fs.readFileSync(path.join(directory, 'package', 'package.json'), 'utf8'));
  expect(packed).toEqual({ ...JSON.parse(text), ...of('https://git.example.com/team/k8ts') });
});
