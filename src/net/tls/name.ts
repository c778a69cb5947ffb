/** Distinguished names of certificates. */
import { elements, oidText, TAG, type Element } from './der.ts';

export interface Name {
  /** The DER, by which a certificate's issuer is found. */
  readonly raw: Buffer;
  /** In the order of the certificate. */
  readonly attributes: readonly { readonly id: string; readonly value: string }[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';

/** The last one, as Go reads it; empty when there is none. */
export const commonName = (name: Name): string => valuesOf(name, COMMON_NAME).at(-1) ?? '';

export const organizations = (name: Name): string[] => valuesOf(name, ORGANIZATION);

export const valuesOf = ({ attributes }: Name, id: string): string[] =>
  attributes.filter((attribute) => attribute.id === id).map(({ value }) => value);

export function readName(element: Element | undefined): Name {
  if (element?.tag !== TAG.sequence) throw new Error('x509: malformed name');
  const attributes: { id: string; value: string }[] = [];
  for (const set of elements(element.content)) {
    if (set.tag !== TAG.set) throw new Error('x509: malformed name');
    for (const pair of elements(set.content)) {
      const [id, value] = pair.tag === TAG.sequence ? elements(pair.content) : [];
      if (id?.tag !== TAG.oid || value === undefined) throw new Error('x509: malformed name');
      const text = textOf(value);
      if (text !== undefined) attributes.push({ id: oidText(id.content), value: text });
    }
  }
  return { raw: element.whole, attributes };
}

/** Undefined for a value that is not a string type. */
function textOf({ tag, content }: Element): string | undefined {
  switch (tag) {
    case TAG.utf8String:
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.numericString:
      if (content.some((byte) => byte > 0x7f)) throw new Error('x509: malformed name');
      return content.toString('latin1');
    case TAG.t61String:
      return content.toString('latin1');
    case TAG.bmpString:
      if (content.length % 2 !== 0) throw new Error('x509: malformed name');
      return Buffer.from(content).swap16().toString('utf16le');
    default:
      return undefined;
  }
}
