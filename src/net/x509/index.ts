/** `@peculiar/x509`, imported after the polyfill that it needs. */
import 'reflect-metadata';
import { Pkcs10CertificateRequest, X509Certificate } from '@peculiar/x509';
import { pemBlocks } from '../../base/index.ts';

export * from '@peculiar/x509';

/** The first certificate of a text. The package's PEM parser can take exponential time, so it gets only DER. */
export const certificateInPem = (pem: string): X509Certificate => new X509Certificate(derInPem(pem, 'CERTIFICATE'));

/** The PKCS#10 request of a text. */
export const certificateRequestInPem = (pem: string): Pkcs10CertificateRequest =>
  new Pkcs10CertificateRequest(derInPem(pem, 'CERTIFICATE REQUEST'));

const SEQUENCE = 0x30;

function derInPem(pem: string, type: string): Buffer<ArrayBuffer> {
  const [block] = pemBlocks(pem);
  if (block?.type !== type) throw new TypeError(`PEM block type must be ${type}`);
  if (block.bytes[0] !== SEQUENCE) throw new TypeError(`the ${type.toLowerCase()} is not DER`);
  return Buffer.from(block.bytes);
}
