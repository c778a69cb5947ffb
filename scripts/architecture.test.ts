import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const document = fs.readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const rows = [...document.matchAll(/^\| (.+?) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, question = '', file = '', name = '']) => ({
    question,
    file,
    name,
  }),
);

describe('ARCHITECTURE.md', () => {
  it.each(rows)('$question → $file, $name', ({ file, name }) => {
    expect(fs.existsSync(path.join(root, file)), `${file} exists`).toBe(true);
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    const declaration = new RegExp(
      `\\b(?:function|class|interface|type|const|let)\\s+${name}\\b|^\\s+(?:async )?#?${name}\\(`,
      'm',
    );
    expect(declaration.test(text), `${file} declares ${name}`).toBe(true);
  });

  it('has only rows that the test above understands', () => {
    const tableRows = document
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|(?:---|\s*question)/.test(line));
    expect(rows).toHaveLength(tableRows.length);
    expect(rows.length).toBeGreaterThan(20);
  });

  it('has an answer for every folder of src/', () => {
    const folders = fs
      .readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory());
    const started = folders.filter((entry) => fs.existsSync(path.join(root, 'src', entry.name, 'index.ts')));
    for (const { name } of started) expect(document, `src/${name}`).toContain(`src/${name}/`);
  });

  it('stays short enough to read', () => {
    expect(document.split('\n').length).toBeLessThanOrEqual(250);
  });
});

/** What a Kubernetes engineer searches for, and the file that has to say in its first lines that it is there. */
const SEARCHED: readonly (readonly [string, RegExp, string])[] = [
  ['toleration matching', /toleration/i, 'src/component-helpers/tolerations.ts'],
  ['QoS', /\bQoS\b/, 'src/component-helpers/pod-qos.ts'],
  ['resize', /\bresize\b/i, 'src/kubelet/admission/allocation-manager.ts'],
  ['the watch cache', /watch cache/i, 'src/apiserver/storage/watch-cache.ts'],
  ['APF queueing', /priority and fairness/i, 'src/apiserver/flow-control/queue-set.ts'],
  ['strategic merge', /strategic merge/i, 'src/machinery/patch/strategic-merge-patch.ts'],
  ['admission order', /admission order/i, 'src/apiserver/admission/plugins.ts'],
  ['PLEG', /\bPLEG\b/, 'src/kubelet/runtime/pleg.ts'],
  ['proxy rules', /proxy rules/i, 'src/kube-proxy/sync-rules.ts'],
  ['ownership', /owner/i, 'src/controller-manager/garbage-collector/graph.ts'],
  ['quota', /ResourceQuota/, 'src/apiserver/admission/resource-quota/quota-evaluator.ts'],
  ['CEL cost', /CEL cost/i, 'src/cel/cost-estimate.ts'],
  ['bound tokens', /bound tokens/i, 'src/apiserver/authn/service-account-tokens.ts'],
  ['image GC', /image GC/i, 'src/kubelet/images/image-garbage-collector.ts'],
];

describe('the words of Kubernetes', () => {
  it.each(SEARCHED)('%s stands in the first lines of %s', (_word, pattern, file) => {
    const [comment = ''] = /^\/\*\*[\s\S]*?\*\//.exec(fs.readFileSync(path.join(root, file), 'utf8')) ?? [];
    expect(comment).toMatch(pattern);
  });
});
