/** The OpenAPI v3 documents of the cluster, each read when a kind of it is first edited. */
import { api } from '../api/request.ts';
import { KindSchema, type SchemaDocument } from './schema.ts';

const documents = new Map<string, Promise<SchemaDocument>>();

/** undefined where the cluster tells none; what could not be read is tried again with the next kind. */
export async function schemaOf(apiVersion: string, kind: string): Promise<KindSchema | undefined> {
  const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
  if (!/^[\w./-]+$/.test(path)) return undefined;
  let document = documents.get(path);
  if (!document) {
    document = api<SchemaDocument>(`/openapi/v3/${path}`);
    documents.set(path, document);
    document.catch(() => documents.delete(path));
  }
  return document.then(
    (found) => KindSchema.find(found, apiVersion, kind),
    () => undefined,
  );
}
