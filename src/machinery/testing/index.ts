/** Fixtures for property tests: random canonical objects of every kind. */
export { objectGenerator, type ObjectGenerator } from './generate-object.ts';
