import { describe, expect, it } from 'vitest';
import { packages, schema, storedSchema } from './index.ts';
import { removedPackages, sameFields } from './removed-versions.ts';

const gvkOf = (apiVersion: string, kind: string) => {
  const [group = '', version = ''] = apiVersion.split('/');
  return { group, version, kind };
};

describe('removed versions', () => {
  it('are decoded, and neither served nor in any document', () => {
    expect(storedSchema.kind(gvkOf('extensions/v1beta1', 'Deployment'))?.byName.has('spec')).toBe(true);
    expect(schema.kind(gvkOf('extensions/v1beta1', 'Deployment'))).toBeUndefined();
    expect(storedSchema.resources).toBe(schema.resources);
    expect([...schema.messages.keys()].filter((name) => name.includes('extensions.v1beta1'))).toEqual([]);
    expect(packages.map(({ group }) => group)).not.toContain('extensions');
  });

  it('with the fields of a served version share its messages', () => {
    for (const [served, removed, kinds] of sameFields)
      for (const kind of kinds) {
        const message = storedSchema.kind(gvkOf(removed, kind));
        expect(message, `${removed} ${kind}`).toBeDefined();
        expect(message).toBe(schema.kind(gvkOf(served, kind)));
      }
  });

  it('share the messages of other packages, and give each field a number of its own', () => {
    const deployment = storedSchema.kind(gvkOf('apps/v1beta1', 'Deployment'))!;
    expect(deployment.byName.get('metadata')!.type).toBe(
      schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    );
    for (const pkg of removedPackages())
      for (const [name, { fields }] of Object.entries(pkg.messages)) {
        const numbers = Object.values(fields).map(({ number }) => number);
        expect(new Set(numbers).size, `${pkg.prefix}.${name}`).toBe(numbers.length);
      }
  });

  it('of custom resources and unknown versions are none', () => {
    expect(storedSchema.kind(gvkOf('example.com/v1', 'Deployment'))).toBeUndefined();
    expect(storedSchema.kind(gvkOf('apps/v9', 'Deployment'))).toBeUndefined();
  });
});
