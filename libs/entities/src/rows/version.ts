// Version of the code that creates rows of entities. An insert intent contains the version, so that a writer with different code knows
// which rows an earlier writer could have stored.

/** Increase this version with every change in this folder that alters a row. test/golden.test.ts checks this. */
export const entityRowsVersion = '2'
