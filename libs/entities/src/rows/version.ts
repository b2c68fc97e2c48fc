// Version of the code that makes entity rows. An intent names it, so that a writer with other code knows what an
// earlier one may have stored.

/** Increase with every change here that alters any entity's rows; test/golden.test.ts compares it with the rows. */
export const entityRowsVersion = '2'
