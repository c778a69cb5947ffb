/**
 * Writes the TypeScript interfaces of the API from its declarations, one file a package, into `src/api/generated/`, and
 * those of the gRPC contracts beside their .proto files.
 * With `--check` nothing is written and stale files make it fail.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { PackageDeclaration } from '../src/api/declare.ts';
import { packages, schema, type Field, type Message, type Type } from '../src/api/index.ts';
import { generateGrpcFiles } from './generate-grpc.ts';

const directory = path.join(import.meta.dirname, '..', 'src', 'api', 'generated');

export function generateFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const pkg of packages) files.set(`${fileName(pkg)}.ts`, generatePackage(pkg));
  files.set('resources.ts', generateResources());
  return files;
}

/** The served resources by `group/version/plural`, with the type of their objects: what a client needs to name one. */
function generateResources(): string {
  const imports: string[] = [];
  const types: string[] = [];
  const values: string[] = [];
  for (const pkg of packages) {
    if (pkg.kinds.length === 0) continue;
    const typeName = (kind: string): string => `${pkg.alias}${kind}`;
    const names = pkg.kinds.map(({ kind }) => `${kind} as ${typeName(kind)}`).sort();
    imports.push(`import type { ${names.join(', ')} } from './${fileName(pkg)}.ts';\n`);
    const apiVersion = pkg.group === '' ? pkg.version : `${pkg.group}/${pkg.version}`;
    for (const { kind, plural, namespaced } of pkg.kinds) {
      const key = `'${apiVersion}/${plural}'`;
      types.push(`  ${key}: ${typeName(kind)};\n`);
      values.push(
        `  ${key}: { group: '${pkg.group}', version: '${pkg.version}', plural: '${plural}', kind: '${kind}', namespaced: ${namespaced} },\n`,
      );
    }
  }
  return [
    `// Generated from src/api by \`npm run generate\`. Do not edit.\n${imports.join('')}`,
    `export interface ResourceTypes {\n${types.join('')}}\n`,
    `export const resources = {\n${values.join('')}} as const satisfies Record<keyof ResourceTypes, object>;\n`,
  ].join('\n');
}

const fileName = (pkg: PackageDeclaration): string =>
  `${pkg.alias.replace(/v\d+(?:(?:alpha|beta)\d+)?$/, '')}-${pkg.version}`;

function generatePackage(pkg: PackageDeclaration): string {
  const imports = new Map<string, Set<string>>();
  const bodies: string[] = [];
  for (const name of Object.keys(pkg.strings)) bodies.push(`export type ${name} = string;\n`);
  for (const name of Object.keys(pkg.messages)) {
    const message = schema.message(`${pkg.prefix}.${name}`);
    const lines = [`/** ${commentText(message.description)} */`, `export interface ${name} {`];
    if (message.object) {
      lines.push(`  apiVersion?: string;`, `  kind?: string;`);
    }
    for (const field of message.fields) lines.push(...fieldLines(field, message, pkg, imports));
    lines.push('}', '');
    bodies.push(lines.join('\n'));
  }
  const importLines = [...imports]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from './${file}.ts';\n`);
  const head = `// Generated from src/api by \`npm run generate\`. Do not edit.\n`;
  return [head + importLines.join(''), ...bodies].join('\n');
}

function fieldLines(
  field: Field,
  message: Message,
  pkg: PackageDeclaration,
  imports: Map<string, Set<string>>,
): string[] {
  const type = typeText(field.type, pkg, imports);
  const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : `'${field.name}'`;
  const alwaysThere =
    (message.object && field.name === 'metadata') ||
    (field.required && !field.pointer) ||
    (message.object && field.name === 'items');
  return [`  /** ${commentText(field.description)} */`, `  ${name}${alwaysThere ? '' : '?'}: ${type};`];
}

function typeText(type: Type, pkg: PackageDeclaration, imports: Map<string, Set<string>>): string {
  switch (type.kind) {
    case 'list':
      return `${typeText(type.element, pkg, imports)}[]`;
    case 'map':
      return `Record<string, ${typeText(type.value, pkg, imports)}>`;
    case 'union': {
      const schemaName = typeText(type.schema, pkg, imports);
      const other = {
        JSONSchemaPropsOrArray: `${schemaName}[]`,
        JSONSchemaPropsOrBool: 'boolean',
        JSONSchemaPropsOrStringArray: 'string[]',
      };
      return `(${schemaName} | ${other[type.union]})`;
    }
    case 'message': {
      const owner = packages.find((p) => type.fullName === `${p.prefix}.${type.name}`)!;
      if (owner !== pkg) {
        const file = fileName(owner);
        const names = imports.get(file) ?? new Set();
        imports.set(
          file,
          names.add(type.name in pkg.messages ? `${type.name} as ${owner.alias}${type.name}` : type.name),
        );
        return type.name in pkg.messages ? `${owner.alias}${type.name}` : type.name;
      }
      return type.name;
    }
    case 'scalar':
      switch (type.scalar) {
        case 'bool':
          return 'boolean';
        case 'int32':
        case 'int64':
        case 'double':
          return 'number';
        case 'IntOrString':
          return '(number | string)';
        case 'RawExtension':
        case 'JSON':
        case 'FieldsV1':
          return 'unknown';
        default:
          return 'string';
      }
  }
}

const commentText = (text: string): string => text.replaceAll('*/', '*\\/');

function main(): void {
  const check = process.argv.includes('--check');
  fs.mkdirSync(directory, { recursive: true });
  const files = generateFiles();
  const stale: string[] = [];
  for (const [name, text] of files) {
    const file = path.join(directory, name);
    const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
    if (before === text) continue;
    if (check) stale.push(name);
    else fs.writeFileSync(file, text);
  }
  for (const name of fs.readdirSync(directory)) {
    if (files.has(name)) continue;
    if (check) stale.push(name);
    else fs.rmSync(path.join(directory, name));
  }
  for (const [name, text] of generateGrpcFiles()) {
    const file = path.join(import.meta.dirname, '..', name);
    if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) continue;
    if (check) stale.push(name);
    else fs.writeFileSync(file, text);
  }
  if (stale.length > 0) {
    console.error(
      `Generated files are stale (${stale.join(', ')}): the declarations in src/api or a .proto changed; run "npm run generate".`,
    );
    process.exitCode = 1;
  }
}

if (process.argv[1] === import.meta.filename) main();
