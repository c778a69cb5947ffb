import { describe, expect, it } from 'vitest';
import { nodeProblem, upgradeProblem } from './version-skew.ts';

describe('upgradeProblem', () => {
  it.each([
    ['0.1.0', '0.1.0'],
    ['0.1.0', '0.1.7'],
    ['0.1.7', '0.1.0'],
    ['0.1.0', '0.2.0'],
    ['0.9.3', '1.0.0'],
    ['unknown', '0.2.0'],
  ])('allows %s to %s', (from, to) => expect(upgradeProblem(from, to)).toBeUndefined());

  it.each([
    ['0.1.0', '0.3.0', 'upgrade to 0.2 first'],
    ['0.2.0', '0.1.9', 'is older than 0.2.0'],
    ['1.0.0', '0.9.0', 'is older than 1.0.0'],
  ])('refuses %s to %s', (from, to, why) => expect(upgradeProblem(from, to)).toContain(why));
});

describe('nodeProblem', () => {
  it.each([
    ['v1.36.4', 'v1.36.4'],
    ['v1.37.0', 'v1.36.4'],
    ['v1.39.0-alpha.1', 'v1.36.4'],
  ])('allows a server %s with a node %s', (server, node) => expect(nodeProblem(server, node)).toBeUndefined());

  it.each([
    ['v1.35.9', 'v1.36.4', 'upgrade the server first'],
    ['v1.40.0', 'v1.36.4', 'too old'],
  ])('refuses a server %s with a node %s', (server, node, why) => expect(nodeProblem(server, node)).toContain(why));
});
