// Makes the de-duplication tokens of inserts. The engine detects a repeated insert only by its token. A token therefore contains everything
// that can differ between two inserts: above all, the hash of the body and the destination's name (its table). If different bodies had the
// same token, rows would be lost silently. The form of the token never changes, because after an upgrade, a chunk in doubt is retried under
// its old token.
export interface TokenParts {
  readonly logId: string
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly first: number
  readonly last: number
  readonly table: string
  readonly hash: string
  readonly attempt: string
}

export const tokenOf = ({ logId, group, topic, partition, first, last, table, hash, attempt }: TokenParts): string =>
  [logId, group, topic, partition, `${first}-${last}`, table, hash, attempt].join('/')

/** Makes the tokens for the inserts of one chunk. */
export type TokenOf = (table: string, hash: string, attempt: string) => string
