import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { K8TS_VERSION } from '../base/index.ts';
import { DATA_FORMAT, readClusterRecord, removeClusterData, updateClusterRecord } from './data-directory.ts';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-data-directory-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

function directory(name: string, files: Readonly<Record<string, string>>): string {
  const made = path.join(scratch, name);
  fs.mkdirSync(made);
  for (const [file, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(made, file)), { recursive: true });
    fs.writeFileSync(path.join(made, file), content);
  }
  return made;
}

it('the release is that of package.json', () => {
  const file = path.join(import.meta.dirname, '..', '..', 'package.json');
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ version: K8TS_VERSION });
});

describe('a data directory', () => {
  it.each([
    ['that is not there', 'missing', undefined],
    ['that is empty', 'empty', {}],
    ['of a start that failed', 'failed', { 'k8ts.log': 'x', kubeconfig: 'y' }],
  ])('%s is new', (_, name, files) => {
    expect(readClusterRecord(files ? directory(name, files) : path.join(scratch, name))).toBeUndefined();
  });

  it.each([
    ['a project', { 'package.json': '{}', 'src/index.ts': '' }],
    ['a project with a kubeconfig', { kubeconfig: 'mine', 'main.go': '' }],
  ])('that is %s is refused', (name, files) => {
    const made = directory(name, files);
    expect(() => readClusterRecord(made)).toThrow(`${made} is not empty, and no cluster lives in it`);
  });

  it('of an older release is accepted, and converted to this release', async () => {
    const made = directory('older', { 'etcd/store-000001.mdb': '', 'pki/ca.crt': '' });
    expect(readClusterRecord(made)).toEqual({ format: 0, writtenBy: '0.1.0' });
    await updateClusterRecord(made, { nodes: ['node-1', 'node-3'] });
    expect(readClusterRecord(made)).toEqual({
      format: DATA_FORMAT,
      writtenBy: K8TS_VERSION,
      nodes: ['node-1', 'node-3'],
    });
  });

  it('of a newer release is refused by name', () => {
    const made = directory('newer', {
      'cluster.json': JSON.stringify({ format: DATA_FORMAT + 1, writtenBy: '9.9.9' }),
    });
    expect(() => readClusterRecord(made)).toThrow(/was written by k8ts 9\.9\.9, which is newer than this one/);
  });

  it.each([
    ['broken', '{"format":', /cluster\.json cannot be read/],
    ['of something else', 'null', /says no format/],
  ])('whose record is %s is refused', (name, content, message) => {
    const made = directory(`record ${name}`, { 'cluster.json': content });
    expect(() => readClusterRecord(made)).toThrow(message);
  });

  it('keeps the earlier record', async () => {
    const made = directory('both', {});
    await updateClusterRecord(made, { nodes: ['node-1'] });
    await updateClusterRecord(made, { kubeconfigs: ['/a'] });
    expect(readClusterRecord(made)).toMatchObject({ nodes: ['node-1'], kubeconfigs: ['/a'] });
  });

  it('loses the files of the cluster, and no others', async () => {
    const files = { 'cluster.json': '{}', 'etcd/x': '', 'nodes/node-1/y': '', 'k8ts.pid.7': '' };
    expect(await removeClusterData(directory('all', files))).toEqual([]);
    expect(fs.existsSync(path.join(scratch, 'all'))).toBe(false);
    expect(await removeClusterData(directory('some', { ...files, notes: 'mine' }))).toEqual(['notes']);
    expect(fs.readdirSync(path.join(scratch, 'some'))).toEqual(['notes']);
  });
});
