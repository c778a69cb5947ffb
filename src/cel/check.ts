/**
 * The CEL type checker: finds the type of every node and the overloads that each call may mean. Errors are in
 * cel-go's words.
 */
import type { Environment } from './environment.ts';
import type { Overload } from './function-table.ts';
import { qualifiedNameOf } from './parser.ts';
import type { SourceProblem } from './source-error.ts';
import type { Call, Comprehension, Expression, ListLiteral, MapLiteral, Select, StructLiteral } from './syntax-tree.ts';
import * as t from './types.ts';
import type { CelType, Substitution } from './types.ts';
import { Uint } from './values.ts';

export interface Checked {
  readonly expression: Expression;
  readonly type: CelType;
  typeOf(node: Expression): CelType;
  overloadsOf(node: Call): readonly Overload[];
  /** The qualified name that a node refers to: a variable, a type or a namespaced function. */
  nameOf(node: Expression): string | undefined;
  /** The variables that the expression refers to. */
  readonly references: ReadonlySet<string>;
  /** Whether a type has this name. */
  isType(name: string): boolean;
  readonly problems: readonly SourceProblem[];
}

export function check(expression: Expression, environment: Environment): Checked {
  const checker = new Checker(environment);
  const type = checker.check(expression);
  return checker.finish(expression, type);
}

const EQUALITY_PARAMETERS = [t.A, t.A];

interface Typed {
  readonly type: CelType;
  readonly at: number;
}

class Checker {
  readonly #types = new Map<Expression, CelType>();
  readonly #overloads = new Map<Call, readonly Overload[]>();
  readonly #names = new Map<Expression, string>();
  readonly #references = new Set<string>();
  readonly #problems: SourceProblem[] = [];
  readonly #known: Substitution = new Map();
  /** The elements of each literal, which must all be of one type. */
  readonly #literals: { readonly elements: readonly Typed[]; readonly all: boolean }[] = [];
  /** How many calls of format() are around the node: literals inside may mix types. */
  #formats = 0;
  /** The variables of the loops around the node, innermost last. */
  readonly #scopes: Map<string, CelType>[] = [];

  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  finish(expression: Expression, type: CelType): Checked {
    const [types, overloads, names] = [this.#types, this.#overloads, this.#names];
    const final = (one: CelType): CelType => t.closed(t.substitute(one, this.#known));
    const resolved = new Map<Expression, CelType>();
    return {
      expression,
      type: final(type),
      typeOf: (node) => {
        let found = resolved.get(node);
        if (!found) resolved.set(node, (found = final(types.get(node) ?? t.DYN)));
        return found;
      },
      overloadsOf: (node) => overloads.get(node) ?? [],
      nameOf: (node) => names.get(node),
      references: this.#references,
      isType: (name) => this.#environment.types.has(name) || this.#environment.objects.has(name),
      // Mixed literals are looked for in expressions that are valid otherwise.
      problems: this.#problems.length > 0 ? this.#problems : this.#mixed(final),
    };
  }

  /** In a list, what follows the first element of another type is not looked at. */
  #mixed(final: (type: CelType) => CelType): Checked['problems'] {
    return this.#literals.flatMap(({ elements, all }) => {
      const [wanted, ...others] = elements.map(({ type }) => t.literalText(final(type)));
      const wrong = others.flatMap((found, i) =>
        found === wanted
          ? []
          : [{ at: elements[i + 1]!.at, message: `expected type '${wanted}' but found '${found}'` }],
      );
      return all ? wrong : wrong.slice(0, 1);
    });
  }

  check(node: Expression): CelType {
    const type = this.#typeOfNode(node);
    this.#types.set(node, type);
    return type;
  }

  #typeOfNode(node: Expression): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'identifier':
        return this.#identifier(node.name, node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'comprehension':
        // Without the macro, cel.bind() and sortBy() are calls of unknown functions.
        return node.written && !this.#environment.hasMacro(node.macro)
          ? this.check(node.written)
          : this.#comprehension(node);
    }
  }

  #report(at: number, message: string): CelType {
    this.#problems.push({ at, message });
    return t.ERROR;
  }

  #lookup(name: string): CelType | undefined {
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const found = this.#scopes[i]!.get(name);
      if (found) return found;
    }
    return this.#environment.variables.get(name);
  }

  #identifier(given: string, node: Expression): CelType {
    const name = given.startsWith('.') ? given.slice(1) : given;
    const type = this.#qualified(name, node);
    return type ?? this.#report(node.at, `undeclared reference to '${given}' (in container '')`);
  }

  /** A variable or a type by its qualified name. */
  #qualified(name: string, node: Expression): CelType | undefined {
    const variable = this.#lookup(name);
    if (variable) {
      this.#references.add(name);
      this.#names.set(node, name);
      return variable;
    }
    const named = this.#environment.types.get(name) ?? this.#environment.objects.get(name);
    if (!named) return undefined;
    this.#names.set(node, name);
    return t.typeOf(named);
  }

  #select(node: Select): CelType {
    if (!node.test && !node.optional) {
      const name = qualifiedNameOf(node);
      const root = name?.slice(0, name.indexOf('.'));
      if (name !== undefined && (!this.#lookup(root!) || this.#environment.variables.has(name))) {
        const type = this.#qualified(name, node);
        if (type) return type;
      }
    }
    const operand = this.check(node.operand);
    const target = t.substitute(operand, this.#known);
    if (node.optional) {
      const inner = t.isOptional(target) ? target.parameters[0]! : target;
      return t.optionalOf(this.#fieldType(inner, node));
    }
    if (t.isOptional(target)) {
      const field = this.#fieldType(target.parameters[0]!, node);
      return node.test ? t.BOOL : t.optionalOf(field);
    }
    const field = this.#fieldType(target, node);
    return node.test ? t.BOOL : field;
  }

  #fieldType(given: CelType, { field, at }: Select): CelType {
    const target = t.substitute(given, this.#known);
    switch (target.kind) {
      case 'error':
        return t.ERROR;
      case 'dyn':
      case 'parameter':
        return t.DYN;
      case 'map':
        return target.value;
      case 'object':
        return target.fields.get(field)?.type ?? this.#report(at, `undefined field '${field}'`);
      default:
        return this.#report(at, `type '${t.typeText(target)}' does not support field selection`);
    }
  }

  #call(node: Call): CelType {
    if (node.name !== 'format') return this.#anyCall(node);
    this.#formats++;
    const type = this.#anyCall(node);
    this.#formats--;
    return type;
  }

  #anyCall(node: Call): CelType {
    if (node.target) {
      // `sets.contains(a, b)` is a namespaced function, not a method of a variable `sets`.
      const namespace = qualifiedNameOf(node.target);
      const name = namespace === undefined ? undefined : `${namespace}.${node.name}`;
      if (name !== undefined && this.#environment.functions.has(name) && !this.#lookup(namespace!.split('.')[0]!)) {
        this.#names.set(node, name);
        return this.#resolve(
          node,
          name,
          node.args.map((arg) => this.check(arg)),
          false,
        );
      }
      const target = this.check(node.target);
      return this.#resolve(node, node.name, [target, ...node.args.map((arg) => this.check(arg))], true);
    }
    const args = node.args.map((arg) => this.check(arg));
    const operator = this.#operator(node, args);
    if (operator) return operator;
    const name = node.name.startsWith('.') ? node.name.slice(1) : node.name;
    return this.#resolve(node, name, args, false);
  }

  /** Operators that have no overloads in the function table. */
  #operator(node: Call, args: readonly CelType[]): CelType | undefined {
    switch (node.name) {
      case '_&&_':
      case '_||_':
        for (const [i, arg] of args.entries()) {
          if (this.#fits([t.BOOL], [arg])) continue;
          const found = t.typeText(t.substitute(arg, this.#known));
          this.#report(node.args[i]!.at, `expected type 'bool' but found '${found}'`);
        }
        return t.BOOL;
      case '_==_':
      case '_!=_':
        return this.#fits(EQUALITY_PARAMETERS, args) ? t.BOOL : this.#noOverload(node, node.name, args, false);
      case '_?_:_': {
        const [parameters, result] = fresh([t.BOOL, t.A, t.A], t.A);
        return this.#fits(parameters, args, false)
          ? t.substitute(result, this.#known)
          : this.#noOverload(node, node.name, args, false);
      }
      default:
        return undefined;
    }
  }

  #fits(parameters: readonly CelType[], args: readonly CelType[], rename = true): boolean {
    const wanted = rename ? t.instantiate(parameters) : parameters;
    const trial: Substitution = new Map(this.#known);
    if (!wanted.every((parameter, i) => t.isAssignable(parameter, args[i]!, trial))) return false;
    for (const [name, type] of trial) this.#known.set(name, type);
    return true;
  }

  #noOverload(node: Call, name: string, args: readonly CelType[], member: boolean): CelType {
    const texts = args.map((arg) => t.typeText(t.substitute(arg, this.#known)));
    const shown = member ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
    return this.#report(node.at, `found no matching overload for '${name}' applied to '${shown}'`);
  }

  #resolve(node: Call, name: string, args: readonly CelType[], member: boolean): CelType {
    const all = this.#environment.functions.get(name);
    if (!all) return this.#report(node.at, `undeclared reference to '${name}' (in container '')`);
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const candidate of all) {
      if (candidate.member !== member || candidate.parameters.length !== args.length) continue;
      const [parameters, returned] = fresh(candidate.parameters, candidate.result);
      if (!this.#fits(parameters, args, false)) continue;
      matching.push(candidate);
      const type = t.substitute(returned, this.#known);
      if (!result) result = type;
      else if (result.kind !== 'dyn' && !sameType(result, type)) result = t.DYN;
    }
    if (!result) return this.#noOverload(node, name, args, member);
    this.#overloads.set(node, matching);
    return result;
  }

  /** The common type of elements; those of a literal outside of format() must be of one type. */
  #join(known: CelType | undefined, next: CelType): CelType {
    if (!known) return next;
    if (t.isAssignable(known, next, this.#known)) return known.kind === 'null' || next.kind === 'dyn' ? next : known;
    if (t.isAssignable(next, known, this.#known)) return next;
    return t.DYN;
  }

  #list(node: ListLiteral): CelType {
    const { elements } = node;
    let element: CelType | undefined;
    const typed = elements.map(({ value, optional }): Typed => {
      const type = this.check(value);
      const own = optional ? this.#unwrapped(type, value.at) : type;
      element = this.#join(element, own);
      return { type: own, at: value.at };
    });
    if (this.#formats === 0) this.#literals.push({ elements: typed, all: false });
    return t.listOf(element ?? t.instantiate([t.A])[0]!);
  }

  #map({ entries }: MapLiteral): CelType {
    let [key, value]: (CelType | undefined)[] = [];
    const [keys, values]: [Typed[], Typed[]] = [[], []];
    for (const entry of entries) {
      const keyType = this.check(entry.key);
      key = this.#join(key, keyType);
      keys.push({ type: keyType, at: entry.key.at });
      const type = this.check(entry.value);
      const own = entry.optional ? this.#unwrapped(type, entry.value.at) : type;
      value = this.#join(value, own);
      values.push({ type: own, at: entry.value.at });
    }
    if (this.#formats === 0) this.#literals.push({ elements: keys, all: true }, { elements: values, all: true });
    const [a, b] = t.instantiate([t.A, t.B]);
    return t.mapOf(key ?? a!, value ?? b!);
  }

  #unwrapped(type: CelType, at: number): CelType {
    const found = t.substitute(type, this.#known);
    if (t.isOptional(found)) return found.parameters[0]!;
    if (found.kind === 'dyn' || found.kind === 'error') return found;
    return this.#report(at, `expected type 'optional_type(${t.typeText(found)})' but found '${t.typeText(found)}'`);
  }

  #struct(node: StructLiteral): CelType {
    const type = this.#environment.objects.get(node.name);
    if (!type) {
      for (const { value } of node.fields) this.check(value);
      return this.#report(node.at, `undeclared reference to '${node.name}' (in container '')`);
    }
    for (const { name, value, optional, at } of node.fields) {
      const given = this.check(value);
      const field = type.fields.get(name);
      if (!field) {
        this.#report(at, `undefined field '${name}'`);
        continue;
      }
      const actual = optional ? this.#unwrapped(given, value.at) : given;
      if (!t.isAssignable(field.type, actual, this.#known)) {
        this.#report(
          at,
          `expected type of field '${name}' is '${t.typeText(field.type)}' but provided type is '${t.typeText(actual)}'`,
        );
      }
    }
    return type;
  }

  #comprehension(node: Comprehension): CelType {
    const range = t.substitute(this.check(node.range), this.#known);
    const variables = this.#loopVariables(node, range);
    this.#scopes.push(new Map(node.variables.map((name, i) => [name, variables[i]!])));
    const predicate = node.predicate && this.check(node.predicate);
    const transform = node.transform && this.check(node.transform);
    this.#scopes.pop();
    if (node.predicate && predicate && !this.#isBool(predicate)) this.#predicateProblem(node, predicate);
    const element = variables.at(-1)!;
    switch (node.macro) {
      case 'all':
      case 'exists':
      case 'existsOne':
        return t.BOOL;
      case 'filter':
        return t.listOf(element);
      case 'map':
        return t.listOf(transform!);
      case 'sortBy':
        return range.kind === 'list' ? range : t.listOf(element);
      case 'transformMap':
        return t.mapOf(variables[0]!, transform!);
      case 'transformMapEntry': {
        const entry = t.substitute(transform!, this.#known);
        return entry.kind === 'map' || entry.kind === 'dyn' || entry.kind === 'error'
          ? entry
          : this.#report(
              node.at,
              `found no matching overload for 'cel.@mapInsert' applied to '(map, ${t.typeText(entry)})'`,
            );
      }
      case 'optMap':
        return t.optionalOf(transform!);
      case 'optFlatMap':
      case 'bind':
        return transform!;
    }
  }

  #isBool(type: CelType): boolean {
    return t.isAssignable(t.BOOL, type, this.#known);
  }

  /** cel-go expands a predicate into an operand of this operator, and its error names the operator. */
  #predicateProblem({ macro, at }: Comprehension, predicate: CelType): void {
    const operator = macro === 'all' ? '_&&_' : macro === 'exists' ? '_||_' : '_?_:_';
    const shown = t.typeText(t.substitute(predicate, this.#known));
    const applied =
      operator === '_?_:_'
        ? `(${shown}, ${macro === 'existsOne' ? 'int, int' : 'list(dyn), list(dyn)'})`
        : `(bool, ${shown})`;
    this.#report(at, `found no matching overload for '${operator}' applied to '${applied}'`);
  }

  #loopVariables({ macro, range: node, variables }: Comprehension, range: CelType): CelType[] {
    if (macro === 'optMap' || macro === 'optFlatMap') {
      if (t.isOptional(range)) return [range.parameters[0]!];
      if (range.kind === 'dyn' || range.kind === 'error') return [t.DYN];
      return [this.#report(node.at, `found no matching overload for 'hasValue' applied to '${t.typeText(range)}.()'`)];
    }
    if (macro === 'bind') return [range];
    const two = variables.length === 2;
    switch (range.kind) {
      case 'list':
        return two ? [t.INT, range.element] : [range.element];
      case 'map':
        return two ? [range.key, range.value] : [range.key];
      case 'dyn':
      case 'error':
      case 'parameter':
        return variables.map(() => t.DYN);
      default: {
        this.#report(
          node.at,
          `expression of type '${t.typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return variables.map(() => t.ERROR);
      }
    }
  }
}

function fresh(parameters: readonly CelType[], result: CelType): [CelType[], CelType] {
  const all = t.instantiate([...parameters, result]);
  return [all.slice(0, -1), all.at(-1)!];
}

function sameType(a: CelType, b: CelType): boolean {
  return t.typeText(t.closed(a)) === t.typeText(t.closed(b));
}

function literalType(value: unknown): CelType {
  if (value === null) return t.NULL;
  switch (typeof value) {
    case 'boolean':
      return t.BOOL;
    case 'bigint':
      return t.INT;
    case 'number':
      return t.DOUBLE;
    case 'string':
      return t.STRING;
    default:
      return value instanceof Uint ? t.UINT : t.BYTES;
  }
}
