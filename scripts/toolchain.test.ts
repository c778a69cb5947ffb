import { expect, it } from 'vitest';
import { isInstalled } from './toolchain.mjs';

const a = { version: '1.0.0', integrity: 'sha512-a' };
const locked = { packages: { '': {}, 'node_modules/a': a, 'node_modules/b': { version: '2.0.0', optional: true } } };
const installed = (packages: object) => ({ packages: { ...packages } });

it.each([
  ['everything', installed({ 'node_modules/a': a, 'node_modules/b': { version: '2.0.0' } }), true],
  ['all but an optional package', installed({ 'node_modules/a': a }), true],
  ['more than is locked', installed({ 'node_modules/a': a, 'node_modules/c': a }), true],
  ['another version', installed({ 'node_modules/a': { ...a, version: '1.0.1' } }), false],
  ['another version of an optional package', installed({ 'node_modules/a': a, 'node_modules/b': a }), false],
  ['another archive of the same version', installed({ 'node_modules/a': { ...a, integrity: 'sha512-x' } }), false],
  ['nothing', installed({}), false],
  ['nothing yet', {}, false],
])('dependencies are as locked: %s', (_name, found, expected) => {
  expect(isInstalled(locked, found)).toBe(expected);
});
