// The version of the rules that created a row. Intents contain the version, so that a writer with other rules can tell which rows an
// earlier writer might have stored. The ledger keeps it too.

/** Raised with every change of the mapping that changes any row or verdict; test/golden enforces this with golden rows. */
export const mappingVersion = '17'
