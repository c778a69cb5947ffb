import { describe, expect, it } from 'vitest';
import { goJsonText } from '../../base/index.ts';
import { revisionData } from '../revisions/index.ts';
import { revisionHash, templateHash } from './index.ts';
import { POD_TEMPLATES } from './testing/pod-templates.ts';

describe("the hash of a pod template is upstream's", () => {
  it.each(Object.entries(POD_TEMPLATES))('%s', (_name, { template, hash }) => {
    expect(templateHash(template)).toBe(hash);
  });

  it('changes with the collision count, 0 included', () => {
    const { template } = POD_TEMPLATES['plain']!;
    expect([templateHash(template, 0), templateHash(template, 1)]).toEqual(['dc66c9d87', '7b449d4c4b']);
  });

  it('exists for every quantity that a template may hold', () => {
    const hashOf = (cpu: string): string =>
      templateHash({ spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } });
    const quantities = ['1234567890123456789m', '1234567890123456789n', '1e3', '9223372036854775807', '8Ei', '-5m'];
    expect(new Set(quantities.map(hashOf)).size).toBe(quantities.length);
  });
});

describe("the hash of a StatefulSet's revision is upstream's", () => {
  it.each([
    ['plain', '6f9d54bccd'],
    ['rich', '75c8f4bd76'],
  ])('%s', (name, hash) => {
    expect(revisionHash(goJsonText(revisionData(POD_TEMPLATES[name]!.template)), 0)).toBe(hash);
  });
});
