// Version of the code that makes rows of entities. Intents contain this version, so that a writer with different code knows which rows an
// earlier writer could have stored.

/** Increase this version with every change in this folder that alters a row of any entity. test/golden.test.ts checks this. */
export const entityRowsVersion = '2'
