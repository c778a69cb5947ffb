import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withDropIns } from '../command.ts';
import { DEFAULT_KUBELET_CONFIGURATION, type KubeletConfiguration } from './kubelet-configuration.ts';

let directory = '';
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-drop-ins-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const write = (name: string, fields: object): void => {
  const file = path.join(directory, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...fields }),
  );
};

const BASE: KubeletConfiguration = {
  ...DEFAULT_KUBELET_CONFIGURATION,
  maxPods: 50,
  kubeReserved: { cpu: '1', memory: '1Gi' },
  clusterDNS: ['10.96.0.10'],
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
  evictionSoftGracePeriod: { 'memory.available': '1m' },
};

describe('drop-in configurations', () => {
  it('are merged in the order of their paths', async () => {
    write('20.conf', { maxPods: 20, clusterDNS: ['10.96.0.20'] });
    write('10.conf', { maxPods: 10, kubeReserved: { cpu: '2' } });
    write('30/a.conf', {
      kubeReserved: { memory: null, pid: '100' },
      evictionSoftGracePeriod: { 'nodefs.available': '2m' },
    });
    write('30/b.conf', { authentication: { anonymous: { enabled: true } } });
    write('40.yaml', { maxPods: 40 });
    expect(await withDropIns(BASE, directory)).toEqual({
      ...BASE,
      maxPods: 20,
      clusterDNS: ['10.96.0.20'],
      kubeReserved: { cpu: '2', pid: '100' },
      authentication: { anonymous: { enabled: true }, webhook: { enabled: true } },
      evictionSoftGracePeriod: { 'memory.available': '1m', 'nodefs.available': '2m' },
    });
  });

  it('leave the configuration as it is when there are none', async () => {
    expect(await withDropIns(BASE, directory)).toEqual(BASE);
  });

  it.each([
    ['of another kind', { kind: 'Pod' }, 'no kind "Pod" is registered'],
    ['with unknown fields', { maxPod: 1 }, 'unknown field "maxPod"'],
    ['that are invalid', { maxPods: -1 }, 'maxPods (--max-pods) -1 must not be a negative number'],
  ])('are refused by their names: %s', async (_, fields, message) => {
    write('10.conf', fields);
    await expect(withDropIns(BASE, directory)).rejects.toThrow(`${directory}/10.conf, error: `);
    await expect(withDropIns(BASE, directory)).rejects.toThrow(message);
  });

  it('need their directory', async () => {
    await expect(withDropIns(BASE, path.join(directory, 'none'))).rejects.toThrow('ENOENT');
  });
});
