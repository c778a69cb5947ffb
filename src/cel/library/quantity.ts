/** The quantity library: resource quantities such as `quantity("500Mi")`. */
import { parseQuantity, Quantity, QuantityError } from '../../base/index.ts';
import { method, overload, type Library } from '../function-table.ts';
import { BOOL, DOUBLE, INT, STRING, opaque } from '../types.ts';
import { CelError, LibraryValue, type Value } from '../values.ts';

export const QUANTITY = opaque('kubernetes.Quantity');

class QuantityValue extends LibraryValue {
  readonly typeName = QUANTITY.name;

  constructor(readonly quantity: Quantity) {
    super();
  }

  override equals(other: Value): boolean {
    return other instanceof QuantityValue && other.quantity.equals(this.quantity);
  }
}

function quantity(text: string): Value {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) throw new CelError(error.message);
    throw error;
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

const INT64 = 2n ** 63n;
const isInteger = ({ quantity: value }: QuantityValue): boolean => {
  if (!value.isMultipleOf(0)) return false;
  const whole = value.scaledValue(0);
  return whole >= -INT64 && whole < INT64;
};

function asInteger(value: QuantityValue): bigint {
  if (!isInteger(value)) throw new CelError('cannot convert value to integer');
  return value.quantity.scaledValue(0);
}

type Q = QuantityValue;

export const quantityLibrary: Library = {
  functions: {
    quantity: [overload('string_to_quantity', [STRING], QUANTITY, quantity)],
    isQuantity: [overload('is_quantity_string', [STRING], BOOL, isQuantity)],
    sign: [method('quantity_sign', [QUANTITY], INT, ({ quantity: value }: Q) => BigInt(value.sign()))],
    isInteger: [method('quantity_is_integer', [QUANTITY], BOOL, isInteger)],
    asInteger: [method('quantity_as_integer', [QUANTITY], INT, asInteger)],
    asApproximateFloat: [method('quantity_as_float', [QUANTITY], DOUBLE, ({ quantity: value }: Q) => value.toNumber())],
    isGreaterThan: [
      method('quantity_is_greater_than', [QUANTITY, QUANTITY], BOOL, (a: Q, b: Q) => a.quantity.cmp(b.quantity) > 0),
    ],
    isLessThan: [
      method('quantity_is_less_than', [QUANTITY, QUANTITY], BOOL, (a: Q, b: Q) => a.quantity.cmp(b.quantity) < 0),
    ],
    compareTo: [
      method('quantity_compare_to', [QUANTITY, QUANTITY], INT, (a: Q, b: Q) => BigInt(a.quantity.cmp(b.quantity))),
    ],
    add: [
      method(
        'quantity_add',
        [QUANTITY, QUANTITY],
        QUANTITY,
        (a: Q, b: Q) => new QuantityValue(a.quantity.add(b.quantity)),
      ),
      method(
        'quantity_add_int',
        [QUANTITY, INT],
        QUANTITY,
        (a: Q, b: bigint) => new QuantityValue(a.quantity.add(Quantity.of(b))),
      ),
    ],
    sub: [
      method(
        'quantity_sub',
        [QUANTITY, QUANTITY],
        QUANTITY,
        (a: Q, b: Q) => new QuantityValue(a.quantity.sub(b.quantity)),
      ),
      method(
        'quantity_sub_int',
        [QUANTITY, INT],
        QUANTITY,
        (a: Q, b: bigint) => new QuantityValue(a.quantity.sub(Quantity.of(b))),
      ),
    ],
  },
};
