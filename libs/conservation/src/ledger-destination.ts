// Names of destinations in the ledger.

/** The destination of rows from releases without destinations. The name is empty in rows of releases without destinations. */
const first = 'events_full'

/** The empty name is the destination of a stage that fills a topic instead of a table. */
export const noDestination = ''

/**
 * True for a table that was added after the first one. The ledger of a table that was added later can begin at any offset, because earlier
 * records were never written to the table.
 */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** Returns the names that a destination has in the ledger, the current name first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * Returns the part of an insert's token that distinguishes the ledger rows of a chunk. The first destination keeps the token of releases
 * without destinations.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
