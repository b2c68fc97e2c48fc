// Which code rows of entities were made by. An intent names it, so that a writer of other code knows what an
// earlier one may have stored.

/**
 * Raised with every change here that gives any entity other rows; test/golden.test.ts holds it against the
 * rows.
 */
export const entityRowsVersion = '2'
