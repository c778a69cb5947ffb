import { describe, expect, it } from 'vitest';
import { everything } from '../test/requires.ts';
import { currentReference, exportsOf, fileComment, pageText, reference, staleFiles } from './api-reference.mjs';

const FILES = new Map([
  [
    'index.d.ts',
    `export * from './client/index.js';
export { renamed as Renamed, type Shape } from './shapes.ts';
declare const hidden: string;
/** Adds. */
export declare function add(a: number): number;
export declare function add(a: string): string;
/** Its own. */
declare class Own {
    #private;
    private secret;
    /** Kept. */
    readonly name: string;
}
export { Own };
export declare const LIMIT = 3;
`,
  ],
  ['client/index.d.ts', "export { Client } from './client.js';\n"],
  ['client/client.d.ts', '/** Talks. */\nexport declare class Client {\n}\n'],
  ['shapes.d.ts', '/** A shape. */\nexport interface Shape {\n    size: number;\n}\nexport type renamed = string;\n'],
]);
const read = (file: string): string | undefined => FILES.get(file);

describe('the API reference', () => {
  it('follows exports to where they are declared', () => {
    const found = exportsOf('index.d.ts', read);
    expect([...found.keys()].sort()).toEqual(['Client', 'LIMIT', 'Own', 'Renamed', 'Shape', 'add']);
    expect(found.get('Client')).toMatchObject({ kind: 'Classes', comment: 'Talks.' });
    expect(found.get('Shape')).toMatchObject({ kind: 'Interfaces', comment: 'A shape.' });
    expect(found.get('Renamed')).toMatchObject({ name: 'Renamed', kind: 'Types', comment: '' });
  });

  it('has overloads together, and nothing that is private', () => {
    const found = exportsOf('index.d.ts', read);
    const text = pageText({ title: 'k8ts', comment: 'All of it.', entries: [...found.values()] });
    expect(text).toContain(
      '### add\n\nAdds.\n\n```typescript\nfunction add(a: number): number;\nfunction add(a: string): string;\n```',
    );
    expect(text).toContain('class Own {\n    /** Kept. */\n    readonly name: string;\n}');
    expect(text).not.toMatch(/private|hidden/);
    expect(text.indexOf('## Classes')).toBeLessThan(text.indexOf('## Functions'));
  });

  it("takes a file's comment without its stars", () => {
    expect(fileComment('/**\n * One\n *\n *     two\n */\nimport x from "y";\n')).toBe('One\n\n    two');
    expect(fileComment('import x from "y";\n/** Not the first. */\n')).toBe('');
  });

  it('has a page for each entry point, and none twice', () => {
    const files = reference(
      (file) => read(file) ?? (file === 'testing.d.ts' ? "export { Own } from './index.js';" : undefined),
    );
    expect([...files.keys()]).toEqual(['README.md', 'k8ts.md', 'client.md', 'testing.md']);
    expect(files.get('k8ts.md')).not.toContain('### Client');
    expect(files.get('client.md')).toContain('### Client');
    expect(files.get('testing.md')).toContain('[Own](k8ts.md#own)');
  });

  it.runIf(everything)('in docs/api is current (long form)', { timeout: 120_000 }, async () => {
    expect(staleFiles(await currentReference())).toEqual([]);
  });
});
