import { describe, expect, it } from 'vitest';
import { compileDeviceSelector } from './device-selector.ts';

const LIMIT = 1_000_000;

describe('compileDeviceSelector', () => {
  it.each([
    'true',
    'device.driver == "gpu.example.com"',
    'device.attributes["gpu.example.com"].model == "a100"',
    'device.attributes["gpu.example.com"].isShared',
    'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("10Gi"))',
    'device.attributes["x"].version.isGreaterThan(semver("1.2.3"))',
    '"gpu.example.com" in device.attributes && device.allowMultipleAllocations',
    'cel.bind(dra, device.attributes["dra.example.com"], dra.one && dra.two)',
  ])('accepts %s', (expression) => {
    const { error, maxCost } = compileDeviceSelector(expression);
    expect(error).toBeUndefined();
    expect(maxCost).toBeLessThan(LIMIT);
  });

  it.each([
    ['no expression', '?!', /^compilation failed: ERROR: <input>:1:1: Syntax error/],
    ['a number', '1', /^must evaluate to bool or the unknown type, not int$/],
    ['a field that devices have not', 'device.name == "x"', /undefined field 'name'/],
    ['another variable', 'self.driver == "x"', /undeclared reference to 'self'/],
    [
      'a comparison of unequal types',
      'device.driver == 1',
      /found no matching overload for '_==_' applied to '\(string, int\)'/,
    ],
  ])('refuses %s', (_, expression, detail) => {
    expect(compileDeviceSelector(expression).error).toMatchObject({
      type: 'invalid',
      detail: expect.stringMatching(detail) as string,
    });
  });

  it('knows no multiple allocations without the feature gate', () => {
    const known = { consumableCapacity: false };
    expect(compileDeviceSelector('device.allowMultipleAllocations', known).error).toMatchObject({
      type: 'invalid',
      detail: expect.stringContaining("undefined field 'allowMultipleAllocations'") as string,
    });
    expect(compileDeviceSelector('device.driver == "a"', known).error).toBeUndefined();
  });

  it('knows no lists of values without the feature gate', () => {
    const includes = 'device.attributes["a.b"].groups.includes("x")';
    expect(compileDeviceSelector(includes)).toMatchObject({ maxCost: 49 + 3 });
    expect(compileDeviceSelector(includes, { listAttributes: false }).error?.detail).toContain(
      "undeclared reference to 'includes'",
    );
  });

  it('estimates the cost of nested loops', () => {
    const loops =
      'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a + b + c + d != ""))))';
    expect(compileDeviceSelector(loops).maxCost).toBeGreaterThan(LIMIT);
  });
});
