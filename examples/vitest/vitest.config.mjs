/** Its own, so that it does not take the one of the repository that it lies in. */
export default { test: { testTimeout: 20_000 } };
