/** The release of this package; a test compares it with package.json. */
export const K8TS_VERSION = '0.1.0';
