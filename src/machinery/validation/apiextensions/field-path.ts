/** Resolves field paths such as `.spec.replicas` or `.spec['a.b']` in a schema. */
import { additionalOf, propertyOf, type Schema } from './schema-props.ts';

interface FieldPath {
  readonly steps: readonly string[];
  readonly schema: Schema | undefined;
}

const TOKENS = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs;

/** The schema at the path, or an error message. */
export function followFieldPath(text: string, schema: Schema, { brackets }: { brackets: boolean }): FieldPath | string {
  const tokens = text.match(TOKENS) ?? [];
  const steps: string[] = [];
  let at: Schema | undefined = schema;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    let name: string;
    if (token === '.') {
      const next = tokens[++i];
      if (next === undefined) return 'unexpected end of JSON path';
      name = next;
    } else if (token === '[') {
      if (!brackets) return 'array notation is not allowed';
      const quoted = tokens[++i];
      if (quoted === undefined) return 'unexpected end of JSON path';
      if (!/^'.*'$/s.test(quoted)) return `expected single quoted string but got ${quoted}`;
      name = quoted.slice(1, -1).replace(/\\(.)/gs, '$1');
      const end = tokens[i + 1];
      const next: Schema | string = step(at, name);
      if (typeof next === 'string') return next;
      if (end === undefined) return 'unexpected end of JSON path';
      if (end !== ']') return `expected ] but got ${end}`;
      i++;
      at = next;
      steps.push(name);
      continue;
    } else {
      return `expected [ or . but got: ${token}`;
    }
    const next: Schema | string = step(at, name);
    if (typeof next === 'string') return next;
    at = next;
    steps.push(name);
  }
  return { steps, schema: at };
}

function step(schema: Schema | undefined, name: string): Schema | string {
  const hasProperties = Object.keys(schema?.properties ?? {}).length > 0;
  const next = schema && (hasProperties ? propertyOf(schema, name) : additionalOf(schema));
  return next ?? 'does not refer to a valid field';
}
