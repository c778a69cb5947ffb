/**
 * Every schema and path of the built-in kinds has the shape that Kubernetes publishes. `published-shapes.json` has a
 * hash of each, made with `shapeHash` from what kube-apiserver v1.36.4 serves under /openapi/v3. Descriptions are our own
 * and not part of a shape.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type JsonObject, runSteps } from '../../base/index.ts';
import { OpenApiDocuments } from './index.ts';

type Shapes = Record<string, { readonly schemas: Record<string, string>; readonly paths: Record<string, string> }>;

const published = JSON.parse(readFileSync(new URL('published-shapes.json', import.meta.url), 'utf8')) as Shapes;
const documents = new OpenApiDocuments({ version: '1.36' });

/** Without descriptions, keys in order; parameters are told apart by name. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = value.map(shapeOf);
    const named = value.length > 0 && value.every((one) => typeof one === 'object' && one !== null && 'in' in one);
    return named ? shapes.map((one) => JSON.stringify(one)).sort() : shapes;
  }
  if (value === null || typeof value !== 'object') return value;
  const { allOf, description, ...others } = value as Record<string, unknown>;
  // A reference stands in `allOf` only so that it can have a description.
  if (Array.isArray(allOf) && allOf.length === 1 && typeof description === 'string' && Object.keys(others).length === 0)
    return shapeOf(allOf[0]);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === 'description' && typeof inner === 'string'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, shapeOf(inner)]),
  );
}

const shapeHash = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(shapeOf(value)))
    .digest('base64url')
    .slice(0, 8);

const hashes = (members: JsonObject | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(members ?? {}).map(([name, value]) => [name, shapeHash(value)]));

describe('the published shapes', () => {
  it('are of the documents that are served', () => {
    expect(documents.v3Names()).toEqual(Object.keys(published).sort());
  });

  it.each(Object.entries(published))('%s', (name, { schemas, paths }) => {
    const document = JSON.parse(runSteps(documents.v3(name))!.bytes.toString('utf8')) as {
      paths: JsonObject;
      components: { schemas?: JsonObject };
    };
    expect(hashes(document.paths)).toEqual(paths);
    const own = hashes(document.components.schemas);
    // Schemas that are in several documents are listed with the first that has them in this shape.
    for (const [schema, hash] of Object.entries(schemas)) expect({ [schema]: own[schema] }).toEqual({ [schema]: hash });
  });
});
