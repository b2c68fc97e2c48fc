// The version of the mapping rules that created a row. An insert intent contains the version, so that a writer with other rules can
// determine which rows an earlier writer might have stored. The ledger records the mapping version too.

/**
 * The version must be raised with every change of the mapping that changes a row or a rejection; test/golden enforces this with golden
 * rows.
 */
export const mappingVersion = '21'
