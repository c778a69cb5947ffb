/** Every flag of upstream's components is known here, with a value of the same kind; what is refused or has no effect says why itself. */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apiServerFlags } from '../src/apiserver/command/flags.ts';
import { controllerManagerFlags } from '../src/controller-manager/command/flags.ts';
import type { FlagTable } from '../src/flags/index.ts';
import { kubeProxyFlags } from '../src/kube-proxy/index.ts';
import { KUBELET_FLAGS } from '../src/kubelet/configuration/flags.ts';
import { schedulerFlags } from '../src/scheduler/command/flags.ts';

const TABLES: Readonly<Record<string, FlagTable>> = {
  'kube-apiserver': apiServerFlags,
  'kube-controller-manager': controllerManagerFlags,
  'kube-scheduler': schedulerFlags,
  'kube-proxy': kubeProxyFlags,
  kubelet: KUBELET_FLAGS,
};

/** Which kinds take what upstream's type takes; other types of upstream are texts with a form of their own. */
const KINDS: Readonly<Record<string, readonly FlagTable[string]['kind'][]>> = {
  bool: ['switch'],
  int: ['whole'],
  duration: ['duration', 'text'],
  float: ['number'],
  string: ['text', 'texts', 'repeated'],
  strings: ['texts'],
};

/** The command line handles these before the table does. */
const EVERYWHERE = ['help', 'version'];

const upstream = fs
  .readFileSync(new URL('data/flags.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t') as [component: string, flag: string, type: string]);

describe.each(Object.entries(TABLES))('the flags of %s', (component, table) => {
  const flags = upstream.filter(([of, flag]) => of === component && !EVERYWHERE.includes(flag));

  it('are all known', () => {
    expect(flags.map(([, flag]) => flag).filter((flag) => !Object.hasOwn(table, flag))).toEqual([]);
  });

  it('take the values that upstream takes', () => {
    const others = flags.flatMap(([, flag, type]) => {
      const kind = table[flag]?.kind;
      return kind === undefined || (KINDS[type] ?? [kind]).includes(kind) ? [] : [`${flag} ${type}: ${kind}`];
    });
    expect(others).toEqual([]);
  });
});
