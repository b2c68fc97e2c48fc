// Which rules a row was made by. An intent names it, so that a writer of other rules knows what an earlier
// one may have stored; the ledger keeps it.

/**
 * Raised with every change of the mapping that gives any span another row, or another verdict; test/golden
 * holds it against the golden rows.
 */
export const mappingVersion = '15'
