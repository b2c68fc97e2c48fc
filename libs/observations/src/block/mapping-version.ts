// The version of the rules that created a row. Intents contain the version, so that a writer with other rules can determine which rows an
// earlier writer might have stored. The ledger also contains the version.

/**
 * The version must be raised with every change of the mapping that changes a row or a rejection; test/golden enforces this with golden
 * rows.
 */
export const mappingVersion = '21'
