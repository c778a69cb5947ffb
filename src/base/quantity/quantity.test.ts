import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalQuantity, parseQuantity, Quantity, QuantityError } from './index.ts';

describe('canonical text', () => {
  it.each([
    ['0', '0'],
    ['000', '0'],
    ['0Ki', '0'],
    ['-0', '0'],
    ['.', '0'],
    ['m', '0'],
    ['1', '1'],
    ['+1', '+1'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1500000', '1500k'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['5.', '5.'],
    ['1.500', '1.500'],
    ['0.500', '500m'],
    ['0.0001', '100u'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['0.0000000001', '1n'],
    ['-0.0000000001', '-1n'],
    ['1Ki', '1Ki'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.5Mi', '512Ki'],
    ['0.0001Ki', '102400u'],
    ['1000Ki', '1000Ki'],
    ['1023Mi', '1023Mi'],
    ['10240Ki', '10Mi'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e6', '12e6'],
    ['1500e3', '1500e3'],
    ['1000e3', '1e6'],
    ['1e-3', '1e-3'],
    ['1E', '1E'],
    ['12345678901234567890', '12345678901234567890'],
    ['12345678901234567000', '12345678901234567k'],
    ['9223372036854775808', '9223372036854775808'],
    ['100Ei', '9223372036854775807'],
    ['8Ei', '9223372036854775807'],
    ['-1Gi', '-1Gi'],
    ['1000E', '1000E'],
    ['1e1000000000', '10e999999999'],
    ['1e-1000000000', '1e-9'],
    [' 1 ', '1'],
  ])('%s is %s', (text, expected) => {
    expect(canonicalQuantity(text)).toBe(expected);
  });

  it.each(['', 'a', '1.1.1', '1 Gi', '1Gi2x', '1,5', '0x10', 'Infinity', '١', '1Gi\n2'])(
    '%j does not look like a quantity',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(
        new QuantityError(
          "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
      );
    },
  );

  it.each(['--1', '+-1', '1K', '1MK', '1i', '1mi', '1e', '1+5', '1ee5', '1kk', '1e99999999999999999999'])(
    '%s has no known suffix',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(new QuantityError("unable to parse quantity's suffix"));
    },
  );
});

describe('arithmetic', () => {
  it.each([
    ['100m', '200m', '300m'],
    ['1', '1m', '1001m'],
    ['1Gi', '1Mi', '1025Mi'],
    ['0', '1Gi', '1Gi'],
    ['1Ki', '-1Ki', '0'],
    ['1k', '1Ki', '2024'],
  ])('%s + %s = %s', (a, b, sum) => {
    expect(parseQuantity(a).add(parseQuantity(b)).toString()).toBe(sum);
    expect(parseQuantity(sum).sub(parseQuantity(b)).cmp(parseQuantity(a))).toBe(0);
  });

  it.each([
    ['1500m', 2, 1500],
    ['-1500m', -2, -1500],
    ['1n', 1, 1],
    ['1Gi', 1073741824, 1073741824000],
    ['1u', 1, 1],
  ])('%s rounds away from zero to %d units and %d thousandths', (text, units, milli) => {
    expect(parseQuantity(text).value()).toBe(units);
    expect(parseQuantity(text).milliValue()).toBe(milli);
  });

  it('compares numbers that are too large to print', () => {
    expect(parseQuantity('1e1000000000').cmp(parseQuantity('1e-9'))).toBe(1);
    expect(parseQuantity('-1e1000000000').cmp(parseQuantity('1'))).toBe(-1);
    expect(parseQuantity('1e1000000000').add(parseQuantity('1')).cmp(parseQuantity('1'))).toBe(1);
  });

  const nanos = (text: string): bigint => parseQuantity(text).scaledValue(-9);
  const amounts = fc.record({
    digits: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 9n }),
    suffix: fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'e-3'),
  });
  const scale: Record<string, bigint> = {
    n: 1n,
    u: 10n ** 3n,
    m: 10n ** 6n,
    '': 10n ** 9n,
    k: 10n ** 12n,
    M: 10n ** 15n,
    G: 10n ** 18n,
    Ki: 2n ** 10n * 10n ** 9n,
    Mi: 2n ** 20n * 10n ** 9n,
    Gi: 2n ** 30n * 10n ** 9n,
    e3: 10n ** 12n,
    'e-3': 10n ** 6n,
  };

  it('agrees with integers of nanos', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: -1000, max: 1000 }), (a, b, factor) => {
        const [x, y] = [a.digits * scale[a.suffix]!, b.digits * scale[b.suffix]!];
        const [p, q] = [parseQuantity(`${a.digits}${a.suffix}`), parseQuantity(`${b.digits}${b.suffix}`)];
        expect(p.scaledValue(-9)).toBe(x);
        expect(p.add(q).scaledValue(-9)).toBe(x + y);
        expect(p.sub(q).scaledValue(-9)).toBe(x - y);
        expect(p.mul(factor).scaledValue(-9)).toBe(x * BigInt(factor));
        expect(p.cmp(q)).toBe(x < y ? -1 : x > y ? 1 : 0);
        expect(p.isZero()).toBe(x === 0n);
        expect(nanos(p.toString())).toBe(x);
        expect(nanos(p.add(q).toString())).toBe(x + y);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps its value and its text when it is parsed again', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[+-]?[0-9]{0,22}\.?[0-9]{0,12}([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?$/),
        (text) => {
          let parsed: Quantity;
          try {
            parsed = parseQuantity(text);
          } catch (error) {
            expect(error).toBeInstanceOf(QuantityError);
            return;
          }
          const again = parseQuantity(parsed.toString());
          expect(again.cmp(parsed)).toBe(0);
          expect(again.toString()).toBe(parsed.toString());
        },
      ),
      { numRuns: 3000 },
    );
  });
});
