import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as declare from '../src/api/declare.ts';
import { packages } from '../src/api/index.ts';
import { linkSchema } from '../src/api/link-schema.ts';

const root = path.join(import.meta.dirname, '..');
const document = fs.readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const examples = [...document.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** The example's declarations, evaluated with the vocabulary of declare.ts in scope. */
function evaluate(code: string): Record<string, unknown> {
  return vm.runInNewContext(`({ ${code} })`, { ...declare }) as Record<string, unknown>;
}

describe('CONTRIBUTING.md', () => {
  it('shows a field that the vocabulary understands', () => {
    const { LeaseSpec } = evaluate(examples[0] ?? '') as { LeaseSpec: declare.MessageDeclaration };
    const coordination = packages.find((pkg) => pkg.alias === 'coordination');
    const actual = coordination?.messages['LeaseSpec'];
    expect(LeaseSpec.description).toBe(actual?.description);
    const taken = Object.values(actual?.fields ?? {}).map(({ number }) => number);
    for (const field of Object.values(LeaseSpec.fields)) expect(taken).not.toContain(field.number);
  });

  it('shows a kind that links into the schema', () => {
    const { messages, kinds } = evaluate(examples[1] ?? '') as Pick<declare.PackageDeclaration, 'messages' | 'kinds'>;
    const widgets: declare.PackageDeclaration = {
      alias: 'widgets',
      group: 'example.com',
      version: 'v1',
      prefix: 'com.example.v1',
      strings: {},
      messages,
      kinds,
    };
    const schema = linkSchema([...packages, widgets]);
    expect(schema.message('com.example.v1.WidgetSpec').fields.map(({ name, required }) => [name, required])).toEqual([
      ['speed', true],
    ]);
    expect(schema.message('com.example.v1.WidgetList').fields.map(({ name }) => name)).toEqual(['metadata', 'items']);
  });

  it('describes what npm test does with a test that fails among all others', () => {
    const script = fs.readFileSync(path.join(root, 'scripts', 'test.mjs'), 'utf8');
    const limit = /MAX_RETRIED_FILES = (\d+)/.exec(script)?.[1];
    expect(document.replaceAll('\n', ' ')).toContain(
      `up to ${limit} files that failed among all tests are tried once more alone`,
    );
    expect(script).toContain('`unsteady: ${file} ');
    expect(document).toContain('`unsteady: FILE`');
  });

  it('names files that exist', () => {
    const files = [...document.matchAll(/`((?:src|scripts)\/[\w./-]+\w)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) expect(fs.existsSync(path.join(root, file)), file).toBe(true);
  });
});
