/** jest runs ES modules with `node --experimental-vm-modules node_modules/jest/bin/jest.js`. */
export default { testEnvironment: 'node', transform: {}, testMatch: ['**/*.test.mjs'] };
