import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  imageArchives,
  labelBatches,
  missingParts,
  needsContainers,
  outcomesOf,
  selectTests,
  summaryOf,
} from './conformance.mjs';
import { root } from './toolchain.mjs';

const FILE = 'test/e2e/apps/job.go';
const TIERS = { 'a.go': { '0': [10, 5], '3': [20] }, 'b.go': { '1': [7] } };

describe('the conformance tests', () => {
  it('are all there', () => {
    const text = fs.readFileSync(path.join(root, 'test', 'conformance', 'tiers.json'), 'utf8');
    const tiers = JSON.parse(text) as Record<string, Record<string, number[]>>;
    const count = (tier: string): number =>
      Object.values(tiers).reduce((sum, one) => sum + (one[tier]?.length ?? 0), 0);
    expect(['0', '1', '2', '3'].map(count)).toEqual([113, 33, 66, 234]);
  });

  it.each([
    [['0'], { 'a.go': [5, 10] }],
    [['0', '1'], { 'a.go': [5, 10], 'b.go': [7] }],
    [['a.go'], { 'a.go': [5, 10, 20] }],
    [['a.go:20', 'b.go:7'], { 'a.go': [20], 'b.go': [7] }],
  ])('are chosen by %j', (wanted, expected) => {
    expect(Object.fromEntries(selectTests(TIERS, wanted))).toEqual(expected);
  });

  it('say which of them need containers, and what nobody knows', () => {
    expect(needsContainers(TIERS, selectTests(TIERS, ['0', '1']))).toBe(false);
    expect(needsContainers(TIERS, selectTests(TIERS, ['a.go:20']))).toBe(true);
    expect(() => selectTests(TIERS, ['0', 'a.go:21'])).toThrow('there is no conformance test a.go:21');
  });

  it('say by name what is missing', () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-conformance-'));
    fs.mkdirSync(path.join(directory, 'bin'));
    fs.writeFileSync(path.join(directory, 'bin', 'kubectl'), '');
    const names = (withContainers: boolean): (string | undefined)[] =>
      missingParts(directory, withContainers).map((text) => text.split(':')[0]);
    expect(names(false)).toEqual(['bin/e2e.test', 'k8s/test/e2e']);
    expect(names(true)).toContain('images/images.tar');
    fs.rmSync(directory, { recursive: true });
  });

  it('replace images of the archive by those of others', () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-conformance-'));
    fs.mkdirSync(path.join(directory, 'images'));
    for (const name of ['busybox.tar', 'images.tar', 'csi.tar', 'notes'])
      fs.writeFileSync(path.join(directory, 'images', name), '');
    expect(imageArchives(directory).map((file) => path.basename(file))).toEqual([
      'images.tar',
      'busybox.tar',
      'csi.tar',
    ]);
    fs.rmSync(directory, { recursive: true });
  });

  it('are chosen by labels, those that must run alone apart, slow ones first', () => {
    const spec = (LineNumber: number, labels: string[], State = 'passed') => ({
      ...{ LeafNodeType: 'It', LeafNodeLocation: { FileName: `/src/k8s/${FILE}`, LineNumber }, State },
      ...{ ContainerHierarchyLabels: [['sig-apps'], labels], LeafNodeLabels: [] },
    });
    const SpecReports = [
      ...[30, 10, 20].map((line) => spec(line, ['Slow'])),
      ...Array.from({ length: 9 }, () => spec(25, [])),
      ...[spec(40, ['Serial']), spec(50, [], 'skipped'), { LeafNodeType: 'BeforeSuite', State: 'passed' }],
    ];
    const parallel = '(sig-apps) && !(Serial || Disruptive)';
    expect(labelBatches([{ SpecReports }], 'sig-apps')).toEqual([
      { file: FILE, serial: false, lines: [10, 20, 25], count: 11, labels: parallel, seconds: 165, isSlow: false },
      { file: FILE, serial: false, lines: [30], count: 1, labels: parallel, seconds: 15, isSlow: false },
      {
        ...{ file: FILE, serial: true, lines: [40], count: 1, seconds: 15, isSlow: false },
        labels: '(sig-apps) && (Serial || Disruptive)',
      },
    ]);
    const chosen = labelBatches([{ SpecReports }], 'sig-apps', {
      selected: new Map([[FILE, [10, 20, 30]]]),
      slow: { [`${FILE}:20`]: 600 },
    });
    expect(chosen.map(({ lines, seconds }) => ({ lines, seconds }))).toEqual([
      { lines: [20], seconds: 600 },
      { lines: [10, 30], seconds: 30 },
    ]);
  });

  it('are read from the report', () => {
    const spec = {
      LeafNodeType: 'It',
      LeafNodeLocation: { LineNumber: 7 },
      RunTime: 1_230_000_000,
      LeafNodeText: 'works',
    };
    const suites = [
      {
        SpecReports: [
          { ...spec, State: 'passed', ContainerHierarchyTexts: ['[sig-a]'] },
          { ...spec, State: 'skipped' },
          { ...spec, State: 'failed', Failure: { Message: 'no\n  good' } },
          { ...spec, LeafNodeType: 'BeforeSuite', State: 'passed' },
        ],
      },
    ];
    expect(outcomesOf('a.go', suites)).toEqual([
      { test: 'a.go:7', state: 'passed', seconds: 1.2, text: '[sig-a] works', failure: '' },
      { test: 'a.go:7', state: 'failed', seconds: 1.2, text: 'works', failure: 'no good' },
    ]);
  });
});

describe('summaryOf', () => {
  const outcome = (line: number, state: string) => ({ test: `a.go:${line}`, state, seconds: 1, text: '', failure: '' });
  it.each([
    ['all passed', [outcome(1, 'passed')], 1, '1/1'],
    ['failures by line', [outcome(1, 'passed'), outcome(2, 'failed'), outcome(3, 'timedout')], 3, '1/3 2 3'],
    ['skips by number', [outcome(1, 'skipped'), outcome(1, 'skipped'), outcome(2, 'failed')], 3, '0/3 2 (2 skipped)'],
    ['tests without a result', [outcome(1, 'passed')], 4, '1/4'],
  ])('%s', (_name, outcomes, count, text) => expect(summaryOf(outcomes, count)).toBe(text));
});
