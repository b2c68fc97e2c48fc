// The version of the rules that created a row. Intents contain it, so that a writer with other rules knows what an earlier
// writer may have stored; the ledger keeps it too.

/** Raised with every change of the mapping that changes any row or verdict; test/golden enforces this with golden rows. */
export const mappingVersion = '17'
