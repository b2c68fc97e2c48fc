// Version of the code that creates rows of entities. It is in every insert intent, so that a writer with different code knows that an
// earlier writer could have stored different rows.

/** Increase this with every change in this folder that alters a row (test/golden.test.ts). */
export const entityRowsVersion = '2'
