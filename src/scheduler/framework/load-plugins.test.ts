import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../config/defaults.ts';
import { makeNode, makePod, startSchedulerFixture } from '../testing/index.ts';
import { mergePlugins } from './build-profile.ts';
import { loadPluginModules } from './load-plugins.ts';

let directory: string;
beforeEach(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-plugins-'));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

const MODULE = `
export const plugins = {
  Picky: ({ letter }, { status }) => ({
    name: 'Picky',
    filter: (state, pod, node) => (node.name.startsWith(letter) ? undefined : status.unschedulable('wrong letter')),
    score: (state, pod, node) => node.name.length,
  }),
};
`;

test('a plugin from a module filters and scores like one of ours', async () => {
  const file = path.join(directory, 'picky.mjs');
  await fs.writeFile(file, MODULE);
  const profile = {
    ...DEFAULT_PROFILE,
    plugins: mergePlugins(DEFAULT_PROFILE.plugins, { multiPoint: { enabled: [{ name: 'Picky', weight: 100 }] } }),
    pluginConfig: new Map([['Picky', { letter: 'a' }]]),
  };
  const fixture = await startSchedulerFixture({ config: { profiles: [profile], pluginModules: [file] } });
  try {
    await fixture.start();
    for (const name of ['b', 'a', 'aaa', 'aa']) await fixture.createNode(makeNode(name));
    await fixture.createPod(makePod('p'));
    expect(await fixture.placed('p')).toBe('aaa');
    expect(fixture.explanations.explanationOf('default/p')?.nodes.at(-1)).toMatchObject({ node: 'b', fits: false });
  } finally {
    await fixture.stop();
  }
});

test.each([
  ['no plugins', 'export const x = 1;', /does not export an object named plugins/],
  ['something that is no factory', 'export const plugins = { A: 1 };', /plugin "A" is not a function/],
  ['a name that is taken', 'export const plugins = { Known: () => ({}) };', /a plugin named Known already exists/],
])('a module with %s is refused', async (_name, source, message) => {
  const file = path.join(directory, 'module.mjs');
  await fs.writeFile(file, source);
  await expect(loadPluginModules([file], { Known: () => ({ name: 'Known' }) })).rejects.toThrow(message);
});
