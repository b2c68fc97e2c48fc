/** Rows of releases without destinations belong to this table, but have an empty name instead of it. */
const first = 'events_full'

/** A stage that fills a topic instead of a table. */
export const noDestination = ''

/** The ledger of a later table can begin at any offset, because earlier records were never written to it. */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** The current name comes first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * The part of an insert's token that distinguishes the ledger rows of a chunk. The first destination keeps the token of releases without
 * destinations.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
