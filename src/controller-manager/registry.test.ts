import { describe, expect, it } from 'vitest';
import { controllers, enabledControllers } from './registry.ts';

const namesOf = (wanted: string[]) => enabledControllers(wanted).map(({ name }) => name);

describe('the registry', () => {
  it('has every name and alias once', () => {
    const names = controllers.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names).toHaveLength(new Set(names).size);
  });

  it.each([
    [
      'all that are on by default',
      ['*'],
      (names: string[]) => names.includes('namespace-controller') && !names.includes('token-cleaner-controller'),
    ],
    [
      'one more',
      ['*', 'token-cleaner-controller'],
      (names: string[]) => names.includes('token-cleaner-controller') && names.includes('namespace-controller'),
    ],
    ['one less, by its older name', ['*', '-namespace'], (names: string[]) => !names.includes('namespace-controller')],
    ['only one', ['namespace-controller'], (names: string[]) => names.length === 1],
    ['the last word', ['-namespace', 'namespace-controller'], (names: string[]) => names.length === 1],
  ])('chooses %s', (_, wanted, holds) => expect(holds(namesOf(wanted))).toBe(true));

  it('refuses unknown names', () =>
    expect(() => namesOf(['*', 'nonsense'])).toThrow('"nonsense" is not in the list of known controllers'));

  it('refuses by name what is not supported, unless it is switched off', () => {
    expect(() => namesOf(['selinux-warning-controller'])).toThrow('"selinux-warning-controller" is not supported');
    expect(namesOf(['*', '-selinux-warning-controller'])).toContain('job-controller');
  });
});
