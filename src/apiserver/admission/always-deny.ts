/** AlwaysDeny: for tests of clients. */
import type { AdmissionPlugin } from './admission.ts';
import { refuse } from './refuse.ts';

export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  admit(attributes) {
    throw refuse(attributes, 'admission control is denying all modifications');
  },
};
