import { describe, expect, it } from 'vitest';
import { containerHash } from './labels.ts';

describe('the hash of a container', () => {
  it("is upstream's, so that replacing kubelets restarts nothing", () => {
    expect(containerHash({ name: 'test_container', image: 'foo/image:v1' })).toBe('8e45cbd0');
  });

  it('changes with the image', () => {
    expect(containerHash({ name: 'a', image: 'b:1' })).not.toBe(containerHash({ name: 'a', image: 'b:2' }));
  });
});
