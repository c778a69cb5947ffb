/**
 * CEL cost estimation: the maximum cost of one evaluation, from the sizes that a schema allows. Upstream refuses
 * rules whose estimate exceeds a limit, so the estimate has to equal cel-go's.
 */
import { append } from '../base/index.ts';
import { FORMAT_PATTERN_LENGTH, REGEX_LENGTH, TRAVERSAL } from './call-cost.ts';
import type { Checked } from './check.ts';
import { add, cap, exactly, multiply, ONE, type Range, scale, union, UNKNOWN, ZERO } from './cost-range.ts';
import type { Call, Comprehension, Expression, Select } from './syntax-tree.ts';
import type { CelType } from './types.ts';

/** The type of a variable with the sizes of its schema, for a path such as `self.spec.list.@items`. */
export type RootType = (name: string) => CelType | undefined;

export function estimateCost(checked: Checked, rootType: RootType): Range {
  return new Estimator(checked, rootType).cost(checked.expression);
}

interface LoopVariable {
  readonly name: string;
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
}

class Estimator {
  readonly #sizes = new Map<Expression, Range>();
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #loops: LoopVariable[] = [];

  readonly #checked: Checked;
  readonly #rootType: RootType;

  constructor(checked: Checked, rootType: RootType) {
    this.#checked = checked;
    this.#rootType = rootType;
  }

  cost(node: Expression): Range {
    switch (node.kind) {
      case 'literal':
        if (typeof node.value === 'string') this.#sizes.set(node, exactly(Buffer.byteLength(node.value)));
        else if (node.value instanceof Uint8Array) this.#sizes.set(node, exactly(node.value.length));
        return ZERO;
      case 'identifier':
        return this.#identifier(node.name, node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        this.#sizes.set(node, exactly(node.elements.length));
        return add(...node.elements.map(({ value }) => this.cost(value)), exactly(10));
      case 'map':
        this.#sizes.set(node, exactly(node.entries.length));
        return add(...node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]), exactly(30));
      case 'struct':
        return add(...node.fields.map(({ value }) => this.cost(value)), exactly(40));
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #identifier(given: string, node: Expression): Range {
    const name = given.replace(/^\./, '');
    const variable = this.#loops.findLast((loop) => loop.name === name);
    if (!variable) this.#paths.set(node, [name]);
    else {
      if (variable.path) this.#paths.set(node, variable.path);
      if (variable.size) this.#sizes.set(node, variable.size);
    }
    return ONE;
  }

  #select(node: Select): Range {
    if (this.#checked.nameOf(node) !== undefined) return ONE;
    const operand = this.cost(node.operand);
    const path = this.#paths.get(node.operand);
    if (path) this.#paths.set(node, [...path, node.field]);
    if (node.test) return operand;
    const { kind } = this.#checked.typeOf(node.operand);
    return kind === 'map' || kind === 'object' || kind === 'opaque' ? add(operand, ONE) : operand;
  }

  /** The size of a value: computed, or else from the schema at its path. */
  #size(node: Expression): Range {
    const computed = this.#sizes.get(node);
    if (computed) return computed;
    const type = this.#typeAt(this.#paths.get(node));
    // Upstream gives a schema's objects and numbers size 0.
    if (type) return { min: 0, max: type.maxElements ?? 0 };
    return isScalar(this.#checked.typeOf(node)) ? ONE : UNKNOWN;
  }

  #elementSize(node: Expression): Range {
    const path = this.#paths.get(node);
    const type = this.#typeAt(path && [...path, '@items']);
    return type ? { min: 0, max: type.maxElements ?? 0 } : UNKNOWN;
  }

  #typeAt(path: readonly string[] | undefined): CelType | undefined {
    if (!path) return undefined;
    let type = this.#rootType(path[0]!);
    for (const step of path.slice(1)) {
      if (!type) return undefined;
      if (step === '@items' || step === '@values')
        type = type.kind === 'list' ? type.element : type.kind === 'map' ? type.value : undefined;
      else if (step === '@keys') type = type.kind === 'map' ? type.key : undefined;
      else type = type.kind === 'object' ? type.fields.get(step)?.type : type.kind === 'map' ? type.value : undefined;
    }
    return type;
  }

  #call(node: Call): Range {
    const name = this.#checked.nameOf(node) ?? node.name;
    const target = node.target && this.#checked.nameOf(node) === undefined ? node.target : undefined;
    const costs = node.args.map((arg) => this.cost(arg));
    const before = target ? this.cost(target) : ZERO;
    const first = target ?? node.args[0];
    const operandKind = first ? this.#checked.typeOf(first).kind : undefined;
    if (name === '_[_]' && first) {
      const path = this.#paths.get(first);
      if (path) this.#paths.set(node, [...path, operandKind === 'map' ? '@values' : '@items']);
    }
    const operands = target ? [target, ...node.args] : node.args;
    return add(
      before,
      this.#functionCost({
        name,
        args: node.args,
        operands,
        costs,
        overloads: this.#checked.overloadsOf(node).map(({ id }) => id),
        size: (i) => this.#size(operands[i]!),
        setSize: (range) => void this.#sizes.set(node, range),
      }),
    );
  }

  #functionCost(call: EstimatedCall): Range {
    const { name, costs } = call;
    if (name === '_&&_' || name === '_||_') return { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max };
    if (name === '_?_:_') {
      call.setSize(union(call.size(1), call.size(2)));
      return add(costs[0]!, union(costs[1]!, costs[2]!));
    }
    const own =
      this.#operatorCost(call) ??
      this.#stringCost(call) ??
      this.#listCost(call) ??
      this.#conversionCost(call) ??
      networkCost(call) ??
      ONE;
    return add(own, ...costs);
  }

  #operatorCost({ name, overloads, size, setSize }: EstimatedCall): Range | undefined {
    switch (name) {
      case '_==_':
      case '_!=_':
        return this.#comparison(size(0), size(1));
      case '_<_':
      case '_<=_':
      case '_>_':
      case '_>=_':
        return overloads.some((id) => id.endsWith('_string') || id.endsWith('_bytes'))
          ? this.#comparison(size(0), size(1))
          : ONE;
      case '@in':
        return overloads.includes('in_list') ? scale(size(1), 1) : ONE;
      case '_+_':
        return this.#sum(overloads, size(0), size(1), setSize);
      case 'check':
        return exactly(350_000);
      default:
        return undefined;
    }
  }

  #stringCost({ name, args, operands, size, setSize }: EstimatedCall): Range | undefined {
    switch (name) {
      case 'find':
      case 'findAll':
        setSize({ min: 0, max: size(0).max });
        return regexCost(size(0), size(1));
      case 'matches':
        return regexCost(size(0), size(1));
      case 'contains':
        return multiply(scale(size(0), TRAVERSAL), scale(size(1), TRAVERSAL));
      case 'startsWith':
      case 'endsWith':
        return scale(size(1), TRAVERSAL);
      case 'format':
      case 'strings.quote':
      case 'url':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return scale(size(0), TRAVERSAL);
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim':
        setSize(size(0));
        return scale(size(0), TRAVERSAL);
      case 'replace':
        setSize(replacedSize(size(0), size(1), size(2)));
        return scale(size(0), 2 * TRAVERSAL);
      case 'split':
        setSize({ min: 0, max: splitLimit(args[1]) ?? size(0).max });
        return scale(size(0), 2 * TRAVERSAL);
      case 'join': {
        const joined = this.#joinedSize(operands[0]!, operands[1]);
        setSize(joined);
        return scale(joined, TRAVERSAL);
      }
      case 'validate':
        return scale(scale(size(1), TRAVERSAL), FORMAT_PATTERN_LENGTH * REGEX_LENGTH);
      default:
        return undefined;
    }
  }

  #listCost({ name, operands, size, setSize }: EstimatedCall): Range | undefined {
    switch (name) {
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf':
        return this.#traversal(operands[0]!);
      case 'sets.contains':
      case 'sets.intersects':
      case 'sets.equivalent':
        return add(ONE, multiply(size(0), size(1)));
      case 'slice':
      case 'flatten':
      case 'distinct':
      case 'sort':
      case 'reverse':
        setSize({ min: 0, max: size(0).max });
        return add(ONE, scale(size(0), 1));
      default:
        return undefined;
    }
  }

  #conversionCost({ name, overloads, size, setSize }: EstimatedCall): Range | undefined {
    if (name === 'bytes' && overloads.includes('string_to_bytes')) {
      setSize({ min: size(0).min, max: cap(size(0).max * 4) });
      return scale(size(0), TRAVERSAL);
    }
    if (name !== 'string') return undefined;
    const fromBytes = overloads.includes('bytes_to_string');
    if (fromBytes || overloads.includes('string_to_string')) setSize({ min: size(0).min, max: size(0).max });
    return fromBytes ? scale(size(0), TRAVERSAL) : ONE;
  }

  #comparison(a: Range, b: Range): Range {
    const smallest = Math.min(a.max, b.max);
    return scale({ min: smallest > 0 ? 1 : 0, max: smallest }, TRAVERSAL);
  }

  #sum(overloads: readonly string[], a: Range, b: Range, setSize: (range: Range) => void): Range {
    const joined = add(a, b);
    if (overloads.includes('add_list')) {
      setSize(joined);
      return ONE;
    }
    if (!overloads.includes('add_string') && !overloads.includes('add_bytes')) return ONE;
    setSize(joined);
    return scale(joined, TRAVERSAL);
  }

  /** The cost of traversing a list with its strings, or a string. */
  #traversal(node: Expression): Range {
    const type = this.#checked.typeOf(node);
    if (type.kind !== 'list') return scale(this.#size(node), TRAVERSAL);
    const texts = type.element.kind === 'string' || type.element.kind === 'bytes';
    return multiply(this.#size(node), texts ? add(ONE, scale(this.#elementSize(node), TRAVERSAL)) : ONE);
  }

  #joinedSize(list: Expression, separator: Expression | undefined): Range {
    const count = this.#size(list);
    const joined = multiply(count, this.#elementSize(list));
    if (!separator) return joined;
    return add(
      joined,
      multiply(this.#size(separator), { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }),
    );
  }

  /** The cost of cel-go's expansion: accumulator, condition, step and result. */
  #comprehension(node: Comprehension): Range {
    const range = this.cost(node.range);
    const iterations = this.#size(node.range);
    const variables = this.#loopVariables(node);
    append(this.#loops, variables);
    const predicate = node.predicate ? this.cost(node.predicate) : ZERO;
    const transform = node.transform ? this.cost(node.transform) : ZERO;
    this.#loops.length -= variables.length;
    const loop = (step: Range): Range => multiply(iterations, step);
    switch (node.macro) {
      case 'all':
        return add(range, loop({ min: 3, max: 3 + predicate.max }), ONE);
      case 'exists':
        return add(range, loop({ min: 4, max: 4 + predicate.max }), ONE);
      case 'existsOne':
        return add(range, loop(add(predicate, { min: 1, max: 2 })), exactly(2));
      case 'filter':
        this.#sizes.set(node, { min: 0, max: iterations.max });
        return add(range, exactly(10), loop(add(predicate, { min: 1, max: 13 })), ONE);
      case 'map':
        this.#sizes.set(node, node.predicate ? { min: 0, max: iterations.max } : iterations);
        return add(
          range,
          exactly(10),
          loop(add(predicate, node.predicate ? union(ONE, add(exactly(12), transform)) : add(exactly(12), transform))),
          ONE,
        );
      case 'transformMap':
      case 'transformMapEntry':
        this.#sizes.set(node, { min: 0, max: iterations.max });
        return add(range, exactly(30), loop(add(predicate, exactly(3), transform)), ONE);
      case 'sortBy':
        this.#sizes.set(node, iterations);
        return add(range, exactly(10), loop(add(exactly(13), transform)), ONE);
      case 'optMap':
      case 'optFlatMap':
        return add(range, exactly(3), { min: 0, max: transform.max });
      case 'bind': {
        const size = node.transform && this.#sizes.get(node.transform);
        if (size) this.#sizes.set(node, size);
        return add(range, ONE, transform);
      }
    }
  }

  #loopVariables({ macro, range, variables }: Comprehension): LoopVariable[] {
    const path = this.#paths.get(range);
    if (macro === 'bind') return [{ name: variables[0]!, path, size: this.#sizes.get(range) }];
    const isMap = this.#checked.typeOf(range).kind === 'map';
    const step = (name: string): readonly string[] | undefined => path && [...path, name];
    if (variables.length === 1)
      return [{ name: variables[0]!, path: step(isMap ? '@keys' : '@items'), size: undefined }];
    const [first, second] = variables as [string, string];
    return [
      { name: first, path: isMap ? step('@keys') : undefined, size: isMap ? undefined : ONE },
      { name: second, path: step(isMap ? '@values' : '@items'), size: undefined },
    ];
  }
}

/** A call whose cost is estimated. */
interface EstimatedCall {
  readonly name: string;
  readonly args: readonly Expression[];
  /** The target, if there is one, and the arguments. */
  readonly operands: readonly Expression[];
  /** The costs of evaluating the arguments. */
  readonly costs: readonly Range[];
  readonly overloads: readonly string[];
  readonly size: (operand: number) => Range;
  readonly setSize: (range: Range) => void;
}

const regexCost = (text: Range, pattern: Range): Range =>
  multiply(scale(add(text, ONE), TRAVERSAL), scale(pattern, REGEX_LENGTH));

function networkCost({ name, overloads, size }: EstimatedCall): Range | undefined {
  switch (name) {
    case 'ip':
      return overloads.includes('cidr_ip') ? ONE : scale(size(0), TRAVERSAL);
    case 'isIP':
    case 'cidr':
    case 'isCIDR':
      return scale(size(0), TRAVERSAL);
    case 'ip.isCanonical':
      return scale(size(0), 2 * TRAVERSAL);
    case 'containsIP':
      return add({ min: 1, max: 4 }, overloads.includes('cidr_contains_ip_string') ? scale(size(1), TRAVERSAL) : ZERO);
    case 'containsCIDR':
      return add(
        { min: 3, max: 7 },
        overloads.includes('cidr_contains_cidr_string') ? scale(size(1), TRAVERSAL) : ZERO,
      );
    default:
      return undefined;
  }
}

const isScalar = ({ kind }: CelType): boolean =>
  ['bool', 'int', 'uint', 'double', 'timestamp', 'duration'].includes(kind);

function splitLimit(argument: Expression | undefined): number | undefined {
  return argument?.kind === 'literal' && typeof argument.value === 'bigint' ? Number(argument.value) : undefined;
}

/** The size of replace(text, old, by): every smallest `old` becomes the largest `by`, as often as it fits. */
function replacedSize(text: Range, old: Range, by: Range): Range {
  const most =
    old.min === 0
      ? { count: text.max + 1, kept: text.max }
      : by.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const least =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= by.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  return { min: cap(least.count * by.min + least.kept), max: cap(most.count * by.max + most.kept) };
}
