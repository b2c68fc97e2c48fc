/** The table of ledger rows with an empty destination. Releases without destinations wrote such rows. */
const first = 'events_full'

/** Destination of a stage that fills a topic instead of a table. */
export const noDestination = ''

/** The ledger of any other table can begin at any offset, because earlier records were never written to that table. */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** The current name comes first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * The part of an insert's token that distinguishes the ledger rows of a chunk. The first destination has the same token as in older
 * releases, which had no destinations.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
