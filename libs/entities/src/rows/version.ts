// Version of the code that makes entity rows. An intent names this version, so that a writer with different code knows which rows an
// earlier writer may have stored.

/** Must be increased with every change of this folder that alters the rows of any entity. test/golden.test.ts checks this. */
export const entityRowsVersion = '2'
