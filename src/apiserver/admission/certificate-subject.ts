/** The subject of a PKCS#10 certificate request in PEM. */
import { certificateRequestInPem } from '../../net/x509/index.ts';

interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Throws if the text is not a certificate request. */
export function requestedSubject(base64Pem: string): RequestedSubject {
  const { subjectName } = certificateRequestInPem(Buffer.from(base64Pem, 'base64').toString('latin1'));
  return { commonName: subjectName.getField('CN').at(-1) ?? '', organizations: subjectName.getField('O') };
}
