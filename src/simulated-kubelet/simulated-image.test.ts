import { expect, it } from 'vitest';
import { imageProblem } from './simulated-image.ts';

it.each([
  ['nginx', undefined],
  ['registry.k8s.io/e2e-test-images/agnhost:2.63.0', undefined],
  ['localhost:5000/a/b_c:v1', undefined],
  [`example.com/a@sha256:${'0'.repeat(64)}`, undefined],
  ['example.com/invalidate:1', undefined],
  ['webserver:404', 'ErrImagePull'],
  ['invalid.registry.k8s.io/invalid/alpine:3.1', 'ErrImagePull'],
  ['example.invalid/a', 'ErrImagePull'],
  ['example.com/nonexistent', 'ErrImagePull'],
  ['example.com/does-not-exist:1', 'ErrImagePull'],
  ['Not An Image', 'InvalidImageName'],
  ['a:b:c', 'InvalidImageName'],
])('%s: %s', (image, reason) => {
  expect(imageProblem(image)?.reason).toBe(reason);
});
