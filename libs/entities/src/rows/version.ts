// Version of the code that creates rows of entities. Every insert intent contains this version, so that a writer with different code knows
// that an earlier writer could have stored different rows.

/** Increase this version with every change in this folder that alters a row (test/golden.test.ts). */
export const entityRowsVersion = '2'
