import { describe, expect, it } from 'vitest';
import { checkMeanings } from './check-meanings.mjs';

describe('a meaning', () => {
  it.each([
    ['is not declared a second time', 'kubelet/a.ts', 'export function tolerates(a: A): boolean {}', /toleratesTaint/],
    [
      'is not declared under a similar name',
      'scheduler/a.ts',
      'const qosClassOf = (spec: PodSpec) => 1;',
      /computePodQos/,
    ],
    [
      'is not spelled out',
      'kubelet/a.ts',
      "x.filter((c) => c.restartPolicy === 'Always');",
      /isRestartableInitContainer/,
    ],
    [
      'is not spelled out with both phases',
      'dns/a.ts',
      "if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return;",
      /isPodTerminal/,
    ],
    ['is not a class of the same name', 'apiserver/a.ts', 'export class AddressRange {}', /base\/address-range/],
    [
      'is not the message of an error',
      'cli/a.ts',
      'const text = last.error instanceof Error ? last.error.message : String(last.error);',
      /errorMessage/,
    ],
  ])('%s', (_name, file, text, expected) => {
    expect(checkMeanings(file, text).join()).toMatch(expected);
  });

  it.each([
    ['is declared in its home', 'component-helpers/tolerations.ts', 'export function toleratesTaint() {}'],
    ['may be a local result', 'kubelet/a.ts', 'function f() {\n  const tolerated = g();\n}'],
    ['may be in a comment', 'kubelet/a.ts', "// restartPolicy === 'Always'"],
  ])('%s', (_name, file, text) => {
    expect(checkMeanings(file, text)).toEqual([]);
  });
});
