/** The subject that a PKCS#10 request in PEM asks for. */
import { certificateRequestInPem } from '../../net/x509/index.ts';

export interface RequestedSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Fails when the text is not such a request. */
export function requestedSubject(base64Pem: string): RequestedSubject {
  const { subjectName } = certificateRequestInPem(Buffer.from(base64Pem, 'base64').toString('latin1'));
  return { commonName: subjectName.getField('CN').at(-1) ?? '', organizations: subjectName.getField('O') };
}
