/** AlwaysDeny: rejects every request; only of use to test clients. */
import type { AdmissionPlugin } from './admission.ts';
import { newForbidden } from './new-forbidden.ts';

export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  admit(attributes) {
    throw newForbidden(attributes, 'admission control is denying all modifications');
  },
};
