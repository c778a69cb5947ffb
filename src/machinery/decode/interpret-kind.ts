/** Reads kind and apiVersion of a body before it is decoded. */
import type { GroupVersionKind } from '../../api/index.ts';
import { badRequest } from '../errors/index.ts';
import { ObjectDocument, readDocument, type JsonDocument } from './document.ts';
import { kindWord } from './exact-scalar.ts';
import type { ParsedText } from './parse-json.ts';

const GO_TYPE =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Empty strings for what the body does not have. Throws a StatusError. */
export function interpretKind({ value, text }: ParsedText): GroupVersionKind {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { apiVersion, kind } = value as Record<string, unknown>;
    if (typeof apiVersion === 'string' && typeof kind === 'string') {
      const { group, version } = parseGroupVersion(apiVersion);
      return { group, version, kind };
    }
  }
  return interpretDocument(readDocument(text));
}

/** Upstream matches the two keys case-insensitively here, in document order. */
function interpretDocument(document: JsonDocument): GroupVersionKind {
  if (document === null) return { group: '', version: '', kind: '' };
  if (!(document instanceof ObjectDocument)) {
    throw badRequest(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindWord(document)} into Go value of type ${GO_TYPE}`,
    );
  }
  const found = { apiVersion: '', kind: '' };
  document.keys.forEach((key, i) => {
    const name = key.toLowerCase();
    const field = name === 'kind' ? 'kind' : name === 'apiversion' ? 'apiVersion' : undefined;
    const value = document.values[i]!;
    if (field === undefined || value === null) return;
    if (typeof value !== 'string') {
      throw badRequest(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindWord(value)} into Go struct field .${field} of type string`,
      );
    }
    found[field] = value;
  });
  return { ...parseGroupVersion(found.apiVersion), kind: found.kind };
}

function parseGroupVersion(text: string): { group: string; version: string } {
  const slash = text.indexOf('/');
  if (slash < 0 || text === '/') return { group: '', version: slash < 0 ? text : '' };
  if (text.includes('/', slash + 1)) throw badRequest(`unexpected GroupVersion string: ${text}`);
  return { group: text.slice(0, slash), version: text.slice(slash + 1) };
}
