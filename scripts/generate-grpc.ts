/**
 * Writes, beside each `NAME.proto` that is listed here, `NAME.generated.ts`: the contract's messages and services as
 * TypeScript, and the descriptor that gRPC encodes with, so that nothing reads .proto files at run time.
 */
import fs from 'node:fs';
import path from 'node:path';
import protobuf from 'protobufjs';

const root = path.join(import.meta.dirname, '..');

const PROTOS = findProtos('src');

/** What each generated file should say, by its path in the repository. */
export function generateGrpcFiles(): Map<string, string> {
  return new Map(PROTOS.toSorted().map((proto) => [proto.replace(/\.proto$/, '.generated.ts'), generate(proto)]));
}

function findProtos(folder: string): string[] {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return findProtos(name);
    return name.endsWith('.proto') ? [name] : [];
  });
}

function generate(proto: string): string {
  const parsed = protobuf.parse(fs.readFileSync(path.join(root, proto), 'utf8'));
  const descriptor = parsed.root;
  descriptor.resolveAll();
  const lines = [`// Generated from ${path.posix.basename(proto)} by \`npm run generate\`. Do not edit.`, ''];
  const emit = (namespace: protobuf.NamespaceBase): void => {
    for (const nested of namespace.nestedArray) {
      if (nested instanceof protobuf.Enum)
        lines.push(
          `export type ${nameOf(nested)} = ${Object.keys(nested.values)
            .map((name) => `'${name}'`)
            .join(' | ')};`,
          '',
        );
      else if (nested instanceof protobuf.Type) {
        lines.push(
          `export interface ${nameOf(nested)} {`,
          ...nested.fieldsArray.map((field) => `  readonly ${field.name}?: ${fieldType(field)};`),
          '}',
          '',
        );
        emit(nested);
      } else if (nested instanceof protobuf.Service) lines.push(...serviceLines(nested));
      else if (nested instanceof protobuf.Namespace) emit(nested);
    }
  };
  emit(descriptor);
  const json = descriptor.toJSON() as { nested: object };
  lines.push(
    `export const PACKAGE = '${parsed.package ?? ''}';`,
    '',
    `export const descriptor = ${JSON.stringify({ nested: json.nested })} as const;`,
    '',
  );
  return lines.join('\n');
}

/** One method an RPC; a stream of answers is an async iterable, and the signal ends the call. */
function serviceLines(service: protobuf.Service): string[] {
  const methods = service.methodsArray.map((method) => {
    const request = nameOf(method.resolvedRequestType!);
    const response = nameOf(method.resolvedResponseType!);
    const input = method.requestStream ? `AsyncIterable<${request}>` : request;
    const answer = method.responseStream ? `AsyncIterable<${response}>` : `Promise<${response}>`;
    return `  ${method.name.charAt(0).toLowerCase()}${method.name.slice(1)}(request: ${input}, options?: { signal?: AbortSignal }): ${answer};`;
  });
  return [`export interface ${service.name} {`, ...methods, '}', ''];
}

function fieldType(field: protobuf.Field): string {
  const single = field.resolvedType ? nameOf(field.resolvedType) : scalar(field.type);
  if (field.map) return `Readonly<Record<string, ${single}>>`;
  return field.repeated ? `readonly ${single}[]` : single;
}

function scalar(type: string): string {
  if (type === 'string') return 'string';
  if (type === 'bool') return 'boolean';
  return type === 'bytes' ? 'Uint8Array' : 'number';
}

/** `SecurityProfile.ProfileType` is `SecurityProfileProfileType`; packages are left out. */
function nameOf(object: protobuf.ReflectionObject): string {
  return object.parent instanceof protobuf.Type ? nameOf(object.parent) + object.name : object.name;
}
